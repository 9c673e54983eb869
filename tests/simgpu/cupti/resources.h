// Devices, contexts, streams, modules and graphs: resource and synchronisation callbacks, and the records CUPTI emits
// once per device, context and stream. On the thread that caused the event, no engine lock.
#pragma once

#include <cupti.h>

#include "simgpu/core/tool_interface.h"

namespace simgpu::cupti {

void OnResource(const SimgpuResourceEvent* event);

// The records of what exists already, for cuptiActivityEnableAndDump. Kinds other than DEVICE, CONTEXT and STREAM have
// none.
void DumpExisting(CUpti_ActivityKind kind);

}  // namespace simgpu::cupti
