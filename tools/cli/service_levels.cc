#include "service_levels.h"

#include <absl/strings/str_cat.h>

namespace slowtoken::cli {

absl::StatusOr<ServiceLevels> ParseServiceLevels(const std::string& text) {
  ServiceLevels levels;
  std::string_view wrong;
  if (base::ParseServiceLevels(text, levels, wrong)) return levels;
  return absl::InvalidArgumentError(absl::StrCat("--slo: '", text, "': '", std::string(wrong),
                                                 "' is not ttft:T or itl:T with T such as 500ms or 1.5s"));
}

}  // namespace slowtoken::cli
