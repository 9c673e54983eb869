// The examples of a rule pack, held against its rules: each must meet the rule it stands under, and mean what it says.
// Used by the command, for a user's pack, and by the test of those that come with slowtoken. Pure; no allocation.
#pragma once

#include "rules/range_rules.h"

namespace slowtoken::rules {

// "iter|n_prefill=9,n_decode=37": what a rule makes of a text, as the vocabulary writes it, fields in its order; "-" if
// it stays what it is. Points into `room`.
std::string_view WriteMeaning(const RangeRule& rule, const Captures& captures, std::span<char> room);

// An error's text, or nullptr.
const char* CheckExample(const RangeRules& rules, size_t rule, std::string_view text, std::string_view meaning);

}  // namespace slowtoken::rules
