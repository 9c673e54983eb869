// API calls in progress: enter and exit callbacks, the API record at exit with its external correlation records before
// it. Calling thread, no engine lock.
#pragma once

#include "simgpu/core/tool_interface.h"

namespace simgpu::cupti {

void OnApiEnter(SimgpuApiCall* call);
void OnApiExit(SimgpuApiCall* call);

}  // namespace simgpu::cupti
