// The table of functions given to simgpuAttachTool: the engine's events as CUPTI sees them.
#pragma once

#include "simgpu/core/tool_interface.h"

namespace simgpu::cupti {

const SimgpuToolHooks* HooksTable();

}  // namespace simgpu::cupti
