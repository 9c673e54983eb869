// The connection to the simulated device: loads libcuda.so.1 as real CUPTI does, attaches the hooks of hooks.cc and
// reads the fault plan.
#pragma once

#include "simgpu/core/tool_interface.h"

namespace simgpu::cupti {

// The engine's table, connecting on first use. NULL where there is no stand-in libcuda.so.1 (then the client gets error
// 999). Any thread.
const SimgpuEngineApi* Engine();

// The same without connecting: NULL before the first successful Engine().
const SimgpuEngineApi* ConnectedEngine();

}  // namespace simgpu::cupti
