// On the simulated GPU kernels do not run: this tells it that a launch of the demo's kernels lasts as long as its first
// argument, `work_ns`, says. Does nothing on a real GPU. Once, before the first launch.
#pragma once

namespace slowtoken::demo {

void RegisterSimulatedCosts();

}  // namespace slowtoken::demo
