// Settings: the small texts in which options travel: a duration, and lists such as ttft:500ms,itl:100ms. Used at start
// by the library (SLOWTOKEN_*) and by the command line, so that both accept the same. Pure functions, no allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace slowtoken::base {

// A number, at most three decimals, and a unit: us, ms, s, m, h or d. Nothing else, and at most 365 days.
std::optional<TimeNs> ParseDuration(std::string_view text);

// A share of one CPU as a number with at most four decimals and `%`, at most 10,000 %, in millionths; `off` and `0` are
// 0.
std::optional<uint32_t> ParseShare(std::string_view text);

// How detail is sampled: `iterations:1/N` or `requests:1/N`, N from 1 to 1,000,000.
struct Sampling {
  bool by_request = false;
  uint32_t keep_one_in = 1;  // 1: everything is kept
};
std::optional<Sampling> ParseSampling(std::string_view text);

// Takes the next `key:value` off a list; false when none is left. An entry without ':' is a key without value.
struct Setting {
  std::string_view key;
  std::string_view value;
};
bool NextSetting(std::string_view& list, Setting& setting);

// What counts as slow; 0 = not given: the rule with running medians decides.
struct ServiceLevels {
  TimeNs ttft_ns = 0;
  TimeNs itl_ns = 0;
};

// `ttft:T` and `itl:T`, separated by commas, T above 0; empty text gives no levels. False names the first entry that is
// neither in `wrong`.
bool ParseServiceLevels(std::string_view text, ServiceLevels& levels, std::string_view& wrong);

}  // namespace slowtoken::base
