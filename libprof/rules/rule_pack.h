// Reading a rule pack: lines of text (docs/RULES.md). The same reader serves the packs that come with slowtoken, which
// are compiled in, and a user's own: in the process, where what is wrong is left out and counted, and in the command,
// which says it. Once, at start; linear in the text; no allocation.
#pragma once

#include "rules/range_rules.h"

namespace slowtoken::rules {

inline constexpr size_t kMostPackBytes = 64u << 10;  // of a user's file

// What a reader of a pack may want to hear. Either may be left out.
struct PackListener {
  void* self = nullptr;
  void (*on_error)(void* self, unsigned line, const char* what) = nullptr;
  // An example belongs to the rule above it, whose number this is.
  void (*on_example)(void* self, unsigned line, size_t rule, std::string_view text, std::string_view meaning) = nullptr;
};

// Adds the pack's rules to `rules`; how many of its lines are wrong. `text` is borrowed for good.
unsigned ReadRulePack(std::string_view text, RangeRules& rules, const PackListener& listener = {});

// The packs that come with slowtoken: the same way; they have no wrong lines (a test).
void ReadShippedPacks(RangeRules& rules);
std::span<const std::string_view> ShippedPacks();

}  // namespace slowtoken::rules
