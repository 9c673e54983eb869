// Decimal numbers as JSON texts hold them, read exactly: a time in epoch microseconds with a fraction needs more than
// the 53 bits of a double (bug log row 91). Pure functions; about 10 ns a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace slowtoken::importing {

// Times beyond this many nanoseconds (73 years) either way are no measurement; two of them can be added.
inline constexpr int64_t kMostNs = int64_t{1} << 61;

// A number of microseconds ("12", "-3.5", "1712195495519689.123", "1.5e3") as nanoseconds. What is finer is rounded to
// the nearest. Nothing if it is no number, or beyond kMostNs.
std::optional<int64_t> NsOfMicroseconds(std::string_view text);

// A whole number ("7", "-1", "12.0", "0x1f"). Nothing if it is none or does not fit.
std::optional<int64_t> WholeNumber(std::string_view text);

}  // namespace slowtoken::importing
