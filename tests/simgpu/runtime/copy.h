// The runtime's 3D copy parameters as the driver's, for copies and for graph nodes.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace simgpu {

CUDA_MEMCPY3D DriverCopy(const cudaMemcpy3DParms& parameters);
CUDA_MEMCPY3D DriverCopy1D(void* destination, const void* source, size_t bytes);

}  // namespace simgpu
