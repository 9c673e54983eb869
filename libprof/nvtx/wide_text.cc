#include "nvtx/wide_text.h"

namespace slowtoken::nvtx {
namespace {

constexpr char32_t kReplacement = 0xfffd;

bool IsSurrogate(char32_t c) { return c >= 0xd800 && c <= 0xdfff; }

// Appends one code point at `used`; false if it does not fit.
bool Append(char32_t c, std::span<char> out, size_t& used) {
  if (IsSurrogate(c) || c > 0x10ffff) c = kReplacement;
  const size_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (out.size() - used < bytes) return false;
  static constexpr unsigned char kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = bytes; i > 1; --i) {
    out[used + i - 1] = static_cast<char>(0x80 | (c & 0x3f));
    c >>= 6;
  }
  out[used] = static_cast<char>(kLead[bytes] | c);
  used += bytes;
  return true;
}

}  // namespace

std::string_view ToUtf8(std::u32string_view text, std::span<char> out, bool& fits) {
  size_t used = 0;
  fits = true;
  for (const char32_t c : text) {
    if (!Append(c, out, used)) {
      fits = false;
      break;
    }
  }
  return {out.data(), used};
}

std::string_view ToUtf8(std::u16string_view text, std::span<char> out, bool& fits) {
  size_t used = 0;
  fits = true;
  for (size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    const bool pair = c >= 0xd800 && c < 0xdc00 && i + 1 < text.size() && text[i + 1] >= 0xdc00 && text[i + 1] < 0xe000;
    if (pair) c = 0x10000 + ((c - 0xd800) << 10) + (static_cast<char32_t>(text[++i]) - 0xdc00);
    if (!Append(c, out, used)) {
      fits = false;
      break;
    }
  }
  return {out.data(), used};
}

}  // namespace slowtoken::nvtx
