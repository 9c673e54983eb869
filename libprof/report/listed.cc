#include "report/listed.h"

#include <absl/strings/str_cat.h>

#include "analysis/text_safety.h"

namespace slowtoken::report {
namespace {

std::string More(size_t count) { return count == 0 ? "" : absl::StrCat(" and ", count, " more"); }

}  // namespace

std::string Listed(const std::vector<std::string>& items, size_t columns) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string longer = absl::StrCat(text, i == 0 ? "" : ", ", items[i]);
    const bool fits = analysis::Columns(longer + More(items.size() - i - 1)) <= columns;
    if (i != 0 && !fits) return text + More(items.size() - i);
    text = longer;
  }
  return text;
}

}  // namespace slowtoken::report
