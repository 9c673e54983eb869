#include "analysis/kernel_table.h"

#include <algorithm>

#include "analysis/kernel_names.h"
#include "analysis/text_safety.h"
#include "rules/kernel_category.h"

namespace slowtoken::analysis {

uint32_t KernelTable::NewRowOf(record::ShapeId shape) {
  if (shape >= row_of_shape_.size()) row_of_shape_.resize(shape + size_t{1}, kNone);
  const record::StringId name = dictionary_->shape(shape).name;
  const auto [entry, is_new] = row_of_name_.try_emplace(name, static_cast<uint32_t>(rows_.size()));
  if (is_new) rows_.push_back({name, {}});
  return row_of_shape_[shape] = entry->second;
}

std::vector<KernelTable::Entry> KernelTable::Entries() const {
  std::vector<Entry> entries;
  for (const Row& row : rows_) {
    const std::string_view raw = dictionary_->text(row.name);
    const std::string name = SafeText(Demangle(raw));
    entries.push_back({.name = name.empty() ? "(unknown)" : name,
                       .category = rules::CategoryName(rules::CategoryOf(raw)),
                       .count = row.durations.count(),
                       .total_ns = row.durations.sum(),
                       .p50_ns = row.durations.Quantile(0.5),
                       .max_ns = row.durations.max()});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.name < b.name;
  });
  return entries;
}

}  // namespace slowtoken::analysis
