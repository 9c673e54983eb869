#include "import/source_event.h"

#include <algorithm>
#include <iterator>

namespace slowtoken::importing {
namespace {

constexpr std::string_view kArgs[] = {
#define SLOWTOKEN_IMPORT_ARG(id, key) key,
    SLOWTOKEN_IMPORT_ARGS(SLOWTOKEN_IMPORT_ARG)
#undef SLOWTOKEN_IMPORT_ARG
};
static_assert(std::size(kArgs) == kArgCount);

constexpr size_t kLongest = 32;

// first[n]: the first key of at least n bytes.
constexpr auto kFirstOfLength = [] {
  std::array<uint8_t, kLongest + 1> first{};
  for (size_t n = 0; n <= kLongest; ++n) {
    size_t i = 0;
    while (i < kArgCount && kArgs[i].size() < n) ++i;
    first[n] = static_cast<uint8_t>(i);
  }
  return first;
}();
static_assert(std::is_sorted(std::begin(kArgs), std::end(kArgs),
                             [](std::string_view a, std::string_view b) { return a.size() < b.size(); }));
static_assert(std::end(kArgs)[-1].size() < kLongest);

}  // namespace

Arg ArgOf(std::string_view key) {
  if (key.size() >= kLongest) return Arg::kOther;
  for (size_t i = kFirstOfLength[key.size()]; i < kFirstOfLength[key.size() + 1]; ++i) {
    if (kArgs[i] == key) return static_cast<Arg>(i);
  }
  return Arg::kOther;
}

std::string_view Find(const SourceFacts& facts, std::string_view key) {
  const auto found = std::find_if(facts.begin(), facts.end(), [key](const auto& fact) { return fact.first == key; });
  return found == facts.end() ? std::string_view() : found->second;
}

}  // namespace slowtoken::importing
