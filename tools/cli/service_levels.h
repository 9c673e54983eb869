// --slo=ttft:T,itl:T, with a message for people. Pure function.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "base/settings.h"

namespace slowtoken::cli {

using base::ServiceLevels;

// Empty text gives no levels. The message says what is accepted.
absl::StatusOr<ServiceLevels> ParseServiceLevels(const std::string& text);

}  // namespace slowtoken::cli
