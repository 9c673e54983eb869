// Wide strings (wchar_t is UTF-32 on Linux) to UTF-8. Used by the worker for messages, and by host threads for the few
// names that are registered. Pure function, about a ns a character, writes only into `out`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace slowtoken::nvtx {

// Converts as much of `text` as fits into `out` and returns the converted part of it; `fits` tells whether all did.
// What is no Unicode scalar value (surrogates, above U+10FFFF) becomes U+FFFD. A code point is never cut in half.
std::string_view ToUtf8(std::u32string_view text, std::span<char> out, bool& fits);
std::string_view ToUtf8(std::u16string_view text, std::span<char> out, bool& fits);

}  // namespace slowtoken::nvtx
