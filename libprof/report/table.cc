#include "report/table.h"

#include <algorithm>

#include "analysis/text_safety.h"

namespace slowtoken::report {
namespace {

std::string Pad(const std::string& cell, size_t width, Table::Align align) {
  const std::string spaces(width - std::min(width, analysis::Columns(cell)), ' ');
  return align == Table::Align::kLeft ? cell + spaces : spaces + cell;
}

}  // namespace

std::string Table::Text() const {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string>& headers = lines.emplace_back();
  for (const Column& column : columns_) headers.push_back(column.header);
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<size_t> widths(columns_.size(), 0);
  for (auto& line : lines) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      line[i] = analysis::CutToColumns(line[i], columns_[i].most);
      widths[i] = std::max(widths[i], analysis::Columns(line[i]));
    }
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (size_t i = 0; i < columns_.size(); ++i) row += "  " + Pad(line[i], widths[i], columns_[i].align);
    row.erase(row.find_last_not_of(' ') + 1);
    if (!row.empty()) text += row + "\n";
  }
  return text;
}

}  // namespace slowtoken::report
