// How a copy call synchronises: the rules of the driver documentation's "API synchronization behavior" page.
#pragma once

#include <cuda.h>

#include "simgpu/core/work_item.h"

namespace simgpu {

// Pageable source: staged, so the call may return early. Pageable destination: the call waits. Else: queued.
CUresult CopyAsynchronously(Stream* stream, CopyWork copy);
// Waits, except device to device.
CUresult CopySynchronously(Stream* stream, CopyWork copy);

}  // namespace simgpu
