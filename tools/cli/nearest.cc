#include "nearest.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

namespace slowtoken::cli {
namespace {

// Damerau-Levenshtein distance in its restricted form (optimal string alignment).
size_t Errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + wrong});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 64;
  if (word.size() < 2 || word.size() > kLongest) return std::nullopt;
  std::vector<std::string> begin, near;
  size_t fewest = std::max<size_t>(1, word.size() / 3);
  for (const std::string& one : known) {
    if (one.starts_with(word)) begin.push_back(one);
    const size_t errors = Errors(word, one);
    if (errors > fewest || errors >= one.size()) continue;
    if (errors < fewest) near.clear();
    fewest = errors;
    near.push_back(one);
  }
  if (begin.size() == 1) return begin[0];
  return near.size() == 1 ? std::optional(near[0]) : std::nullopt;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = Nearest(word, known);
  return nearest ? absl::StrCat("; did you mean `", *nearest, "`?") : "";
}

}  // namespace slowtoken::cli
