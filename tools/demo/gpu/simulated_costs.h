// On the simulated GPU kernels do not run: this tells it that a launch of the demo's kernels lasts as long as its first
// argument, `work_ns`, says. Does nothing on a real GPU. Once, before the first launch.
#pragma once

#include "gpu/kernels.h"

namespace slowtoken::demo {

void RegisterSimulatedCosts();

// What SetPressure does on a real GPU, for the launches to come; the all-reduce that waits is the next one launched.
void SetSimulatedPressure(const Pressure& pressure);

}  // namespace slowtoken::demo
