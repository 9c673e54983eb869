// Fuzzes what the offline half does with names from programs: kernel names (demangled, shortened, put into categories)
// and texts made safe for a terminal and for other tools' files.
#include <string>

#include "analysis/kernel_names.h"
#include "analysis/text_safety.h"
#include "fuzz_input.h"
#include "rules/kernel_category.h"

namespace slowtoken::analysis {
namespace {

using fuzz::Require;

void Check(std::string_view text, size_t most) {
  const std::string demangled = Demangle(text);
  const std::string shorter = ShortName(demangled);
  Require(shorter.size() <= demangled.size());
  Require(rules::CategoryName(rules::CategoryOf(demangled))[0] != 0);
  static_cast<void>(rules::CategoryOf(text));
  const std::string safe = SafeText(text, most);
  Require(safe.size() <= std::max<size_t>(most, 3));
  Require(SafeText(safe) == safe.substr(0, kLongestText));
  for (const char c : safe) Require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  Require(Columns(CutToColumns(safe, most)) <= std::max<size_t>(most, 1));
}

}  // namespace
}  // namespace slowtoken::analysis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  slowtoken::analysis::Check({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
  return 0;
}
