#include "analysis/text_safety.h"

#include <algorithm>
#include <cstdint>

namespace slowtoken::analysis {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // …

// Length of the valid character at the start of `text`, or 0 (The Unicode Standard, table 3-7).
size_t ValidLength(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const auto in = [&](size_t i, uint8_t low, uint8_t high) { return byte(i) >= low && byte(i) <= high; };
  const auto rest = [&](size_t i) { return in(i, 0x80, 0xBF); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return rest(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = first == 0xE0 ? in(1, 0xA0, 0xBF) : first == 0xED ? in(1, 0x80, 0x9F) : rest(1);
    return second && rest(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = first == 0xF0 ? in(1, 0x90, 0xBF) : first == 0xF4 ? in(1, 0x80, 0x8F) : rest(1);
    return second && rest(2) && rest(3) ? 4 : 0;
  }
  return 0;
}

bool IsControl(char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::string SafeText(std::string_view text, size_t most) {
  std::string safe;
  safe.reserve(std::min(text.size(), most));
  while (!text.empty()) {
    size_t length = ValidLength(text);
    const bool good = length != 0 && !IsControl(text[0]);
    if (length == 0) length = 1;
    const std::string_view piece = good ? text.substr(0, length) : kReplacement;
    if (safe.size() + piece.size() > most) {
      while (!safe.empty() && safe.size() + kEllipsis.size() > most) {
        while (safe.size() > 1 && (static_cast<uint8_t>(safe.back()) & 0xC0) == 0x80) safe.pop_back();
        safe.pop_back();
      }
      return safe += kEllipsis;
    }
    safe += piece;
    text.remove_prefix(length);
  }
  return safe;
}

size_t Columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

std::string CutToColumns(std::string_view text, size_t columns) {
  if (Columns(text) <= columns) return std::string(text);
  size_t at = 0;
  for (size_t kept = 1; kept < columns; ++kept) at += std::max<size_t>(1, ValidLength(text.substr(at)));
  return std::string(text.substr(0, at)) += kEllipsis;
}

}  // namespace slowtoken::analysis
