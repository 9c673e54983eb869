#include "base/settings.h"

namespace slowtoken::base {
namespace {

struct Unit {
  std::string_view name;
  TimeNs ns;
};
constexpr Unit kUnits[] = {{"us", 1'000},          {"ms", 1'000'000},         {"s", 1'000'000'000},
                           {"m", 60'000'000'000u}, {"h", 3'600'000'000'000u}, {"d", 86'400'000'000'000u}};
constexpr TimeNs kLongest = 365 * 86'400'000'000'000u;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<TimeNs> ParseDuration(std::string_view text) {
  uint64_t thousandths = 0;
  size_t at = 0, digits = 0;
  for (; at < text.size() && IsDigit(text[at]); ++at, ++digits) {
    if (digits == 12) return std::nullopt;
    thousandths = thousandths * 10 + static_cast<uint64_t>(text[at] - '0') * 1000;
  }
  if (digits == 0) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    uint64_t worth = 100;
    for (++at; at < text.size() && IsDigit(text[at]); ++at, worth /= 10) {
      if (worth == 0) return std::nullopt;
      thousandths += static_cast<uint64_t>(text[at] - '0') * worth;
    }
    if (worth == 100) return std::nullopt;  // a point with nothing behind it
  }
  for (const Unit& unit : kUnits) {
    if (std::string_view(text.data() + at, text.size() - at) != unit.name) continue;
    if (thousandths > kLongest / (unit.ns / 1000)) return std::nullopt;
    return thousandths * (unit.ns / 1000);
  }
  return std::nullopt;
}

std::optional<uint32_t> ParseShare(std::string_view text) {
  if (text == "off" || text == "0") return 0;
  if (text.empty() || text.back() != '%') return std::nullopt;
  text.remove_suffix(1);
  uint64_t whole = 0, fraction = 0, worth = 10'000;  // a percent has so many millionths
  size_t digits = 0, at = 0;
  for (; at < text.size() && IsDigit(text[at]); ++at, ++digits)
    whole = whole * 10 + static_cast<uint64_t>(text[at] - '0');
  if (digits == 0 || digits > 5 || whole > 10'000) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != '.' || ++at == text.size() || text.size() - at > 4) return std::nullopt;
    for (; at < text.size() && IsDigit(text[at]); ++at)
      fraction += static_cast<uint64_t>(text[at] - '0') * (worth /= 10);
  }
  if (at != text.size()) return std::nullopt;
  return static_cast<uint32_t>(whole * 10'000 + fraction);
}

std::optional<Sampling> ParseSampling(std::string_view text) {
  Sampling sampling;
  std::string_view rest = text;
  Setting setting;
  if (!NextSetting(rest, setting) || !rest.empty() || !setting.value.starts_with("1/")) return std::nullopt;
  if (setting.key != "iterations" && setting.key != "requests") return std::nullopt;
  sampling.by_request = setting.key == "requests";
  setting.value.remove_prefix(2);
  if (setting.value.empty() || setting.value.size() > 7) return std::nullopt;
  sampling.keep_one_in = 0;
  for (const char c : setting.value) {
    if (!IsDigit(c)) return std::nullopt;
    sampling.keep_one_in = sampling.keep_one_in * 10 + static_cast<uint32_t>(c - '0');
  }
  if (sampling.keep_one_in == 0 || sampling.keep_one_in > 1'000'000) return std::nullopt;
  return sampling;
}

bool NextSetting(std::string_view& list, Setting& setting) {
  while (!list.empty() && list.front() == ',') list.remove_prefix(1);
  if (list.empty()) return false;
  const size_t comma = list.find(',');
  const std::string_view entry(list.data(), comma == std::string_view::npos ? list.size() : comma);
  list.remove_prefix(entry.size());
  const size_t colon = entry.find(':');
  setting.key = std::string_view(entry.data(), colon == std::string_view::npos ? entry.size() : colon);
  setting.value = entry;
  setting.value.remove_prefix(setting.key.size() + (colon == std::string_view::npos ? 0 : 1));
  return true;
}

bool ParseServiceLevels(std::string_view text, ServiceLevels& levels, std::string_view& wrong) {
  for (Setting setting; NextSetting(text, setting);) {
    const auto time = ParseDuration(setting.value);
    const bool ttft = setting.key == "ttft", itl = setting.key == "itl";
    if ((!ttft && !itl) || !time || *time == 0) {
      wrong = setting.key;
      return false;
    }
    (ttft ? levels.ttft_ns : levels.itl_ns) = *time;
  }
  return true;
}

}  // namespace slowtoken::base
