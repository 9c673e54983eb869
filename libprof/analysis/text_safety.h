// Names come from programs that can hold anything (bug log row 106): before they go into a report or another tool's
// file they are made valid UTF-8 without control characters. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slowtoken::analysis {

inline constexpr size_t kLongestText = 4096;

// Invalid bytes (also encoded surrogates and overlong forms) and control characters become U+FFFD; what is longer than
// `most` bytes is cut at a character and ends in "…".
std::string SafeText(std::string_view text, size_t most = kLongestText);

// How many columns a valid UTF-8 text takes in a terminal, counting one for each code point.
size_t Columns(std::string_view text);

// The first `columns` code points, the last one "…" if something was cut.
std::string CutToColumns(std::string_view text, size_t columns);

}  // namespace slowtoken::analysis
