#include "analysis/graph_paths.h"

#include <absl/strings/str_cat.h>

#include "analysis/range_text.h"

namespace slowtoken::analysis {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string PathText(const RangePath& path, const record::Dictionary& dictionary) {
  std::string text;
  for (const RangeName range : path) absl::StrAppend(&text, text.empty() ? "" : "/", RangeText(range, dictionary));
  return text;
}

std::string WithoutNumbers(std::string_view path) {
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    if (!IsDigit(path[i])) {
      text += path[i];
    } else if (i == 0 || !IsDigit(path[i - 1])) {
      text += '#';
    }
  }
  return text;
}

GraphPaths::GraphPaths(const CapturedRanges& ranges, const record::Dictionary& dictionary) {
  for (const auto& [key, graph] : ranges.graphs()) {
    for (const auto& [node, path] : graph.paths) {
      if (!path.empty()) paths_[{key.first, key.second, node}] = PathText(path, dictionary);
    }
  }
}

}  // namespace slowtoken::analysis
