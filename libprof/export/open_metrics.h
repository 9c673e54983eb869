// OpenMetrics 1.0 text of what processes tell about themselves. docs/METRICS.md has every name, unit and source. Pure;
// offline. About 700 lines a process.
#pragma once

#include <span>
#include <string>

#include "analysis/present.h"

namespace slowtoken::exporting {

// The whole exposition, "# EOF" at its end. With several processes each sample has labels run, role and pid.
std::string OpenMetricsText(std::span<const analysis::Present> processes);

}  // namespace slowtoken::exporting
