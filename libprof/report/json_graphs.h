// The JSON report's `graphs`. Used by json.cc.
#pragma once

#include "report/json_parts.h"

namespace slowtoken::report {

Json GraphsJson(const v1::Graphs& graphs);

}  // namespace slowtoken::report
