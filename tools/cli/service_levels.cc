#include "service_levels.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/time/time.h>

#include <utility>
#include <vector>

namespace slowtoken::cli {

absl::StatusOr<ServiceLevels> ParseServiceLevels(const std::string& text) {
  ServiceLevels levels;
  const std::vector<std::string> parts = absl::StrSplit(text, ',', absl::SkipEmpty());
  for (const std::string& part : parts) {
    const std::pair<std::string, std::string> level = absl::StrSplit(part, absl::MaxSplits(':', 1));
    absl::Duration duration;
    const bool known = level.first == "ttft" || level.first == "itl";
    if (!known || !absl::ParseDuration(level.second, &duration) || duration <= absl::ZeroDuration() ||
        duration > absl::Hours(24)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--slo: '", part, "' is not ttft:T or itl:T with T such as 500ms or 1.5s"));
    }
    (level.first == "ttft" ? levels.ttft_ns : levels.itl_ns) =
        static_cast<uint64_t>(absl::ToInt64Nanoseconds(duration));
  }
  return levels;
}

}  // namespace slowtoken::cli
