// Reading our own SLOWTOKEN_* environment variables. Called once, at start, on the starting thread; no allocation.
// A variable that cannot be understood keeps its default and is named in the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace slowtoken::base {

// The variable's text, empty if unset. Valid until the environment changes.
std::string_view EnvText(const char* name);

// Decimal digits with an optional suffix K, M or G (powers of 1024). Nothing else.
std::optional<uint64_t> ParseSize(std::string_view text);

// Exactly 2 × `size` hexadecimal digits into `out`. False (and `out` unspecified) for anything else.
bool ParseHex(std::string_view text, uint8_t* out, size_t size);

}  // namespace slowtoken::base
