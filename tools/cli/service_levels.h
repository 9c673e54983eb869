// --slo=ttft:T,itl:T. Pure function.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>

namespace slowtoken::cli {

// What counts as slow; 0 = not given, the rule with running medians decides.
struct ServiceLevels {
  uint64_t ttft_ns = 0;
  uint64_t itl_ns = 0;
};

// T is a number with a unit (us, ms, s, m). Empty text gives no levels. The message says what is accepted.
absl::StatusOr<ServiceLevels> ParseServiceLevels(const std::string& text);

}  // namespace slowtoken::cli
