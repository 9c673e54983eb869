// Launch limits, shared by direct launches and graph kernel nodes.
#pragma once

#include <cuda.h>

#include "simgpu/core/work_item.h"

namespace simgpu {

CUresult CheckLaunch(const KernelWork& kernel);

}  // namespace simgpu
