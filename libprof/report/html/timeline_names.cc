#include "report/html/timeline_names.h"

#include "analysis/kernel_names.h"
#include "analysis/text_safety.h"
#include "rules/kernel_category.h"

namespace slowtoken::report::html {
namespace {

constexpr size_t kLongestName = 96;

}  // namespace

uint32_t TimelineNames::Of(std::string_view text, std::string_view kind) {
  std::pair<std::string, std::string> name(analysis::SafeText(text, kLongestName), kind);
  const auto [known, is_new] = index_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (is_new) names_.push_back(std::move(name));
  return known->second;
}

uint32_t TimelineNames::OfKernel(record::ShapeId shape) {
  const record::StringId id = dictionary_->shape(shape).name;
  const auto [known, is_new] = kernels_.try_emplace(id, 0);
  if (is_new) {
    const std::string_view name = dictionary_->text(id);
    const std::string text = name.empty() ? "a kernel" : analysis::ShortName(analysis::Demangle(name));
    known->second = Of(text, rules::CategoryName(rules::CategoryOf(name)));
  }
  return known->second;
}

uint32_t TimelineNames::OfText(record::StringId text, std::string_view kind, std::string_view if_empty) {
  const std::string_view name = dictionary_->text(text);
  return Of(name.empty() ? if_empty : name, kind);
}

Json TimelineNames::ToJson() const {
  Json out = Json::array();
  for (const auto& [text, kind] : names_) out.push_back(Json::array({text, kind}));
  return out;
}

}  // namespace slowtoken::report::html
