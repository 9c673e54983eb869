// The JSON report's `launch_gaps`, and what stands of them in `devices[]`. Used by json.cc.
#pragma once

#include "report/json_parts.h"

namespace slowtoken::report {

Json LaunchGapsJson(const v1::Report& report);

// null where it cannot be told.
Json DecodeIdleJson(const v1::Device& device);

}  // namespace slowtoken::report
