#include "import/decimal.h"

#include <charconv>

namespace slowtoken::importing {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// value × 10 + digit; false when it leaves the range of a time.
bool Append(uint64_t& value, char digit) {
  value = value * 10 + static_cast<uint64_t>(digit - '0');
  return value <= static_cast<uint64_t>(kMostNs);
}

bool TakeSign(std::string_view& text) {
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return false;
  const bool minus = text[0] == '-';
  text.remove_prefix(1);
  return minus;
}

// Digits, then maybe a point and digits, then maybe an exponent.
struct Parts {
  std::string_view whole, fraction;
  int exponent = 0;
};

std::string_view TakeDigits(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && IsDigit(text[n])) ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

std::optional<Parts> Split(std::string_view text) {
  Parts parts;
  parts.whole = TakeDigits(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    parts.fraction = TakeDigits(text);
  }
  if (parts.whole.empty() && parts.fraction.empty()) return std::nullopt;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    if (text.size() > 1 && text[0] == '+' && IsDigit(text[1])) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts.exponent);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

// The digits up to `kept` places behind the point (before it, if negative); rounded to the nearest by the next one.
std::optional<uint64_t> Scaled(const Parts& parts, int64_t kept) {
  uint64_t value = 0;
  const auto digits = static_cast<int64_t>(parts.whole.size() + parts.fraction.size());
  const int64_t wanted = static_cast<int64_t>(parts.whole.size()) + kept;
  const auto digit = [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    return at < parts.whole.size() ? parts.whole[at] : parts.fraction[at - parts.whole.size()];
  };
  for (int64_t i = 0; i < wanted; ++i) {
    if (i >= digits && value == 0) return 0;
    if (!Append(value, i < digits ? digit(i) : '0')) return std::nullopt;
  }
  if (wanted >= 0 && wanted < digits && digit(wanted) >= '5') ++value;
  return value;
}

}  // namespace

std::optional<int64_t> NsOfMicroseconds(std::string_view text) {
  const bool minus = TakeSign(text);
  const std::optional<Parts> parts = Split(text);
  if (!parts) return std::nullopt;
  const std::optional<uint64_t> value = Scaled(*parts, int64_t{3} + parts->exponent);
  if (!value) return std::nullopt;
  return minus ? -static_cast<int64_t>(*value) : static_cast<int64_t>(*value);
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || text.empty()) return std::nullopt;
  std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    while (rest.starts_with('0')) rest.remove_prefix(1);
  }
  return rest.empty() ? std::optional(value) : std::nullopt;
}

}  // namespace slowtoken::importing
