// The libcudart stand-in's way into libcuda.so.1: loaded at run time, so that a machine without a driver (error 35)
// stays testable.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "simgpu/core/runtime_table.h"

namespace simgpu {

// nullptr: there is no libcuda.so.1, or it is not the stand-in. Loaded once.
const RuntimeTable* Engine();
// Address of a driver function; the library must be there.
void* DriverSymbol(const char* name);

// Calls an exported driver function, as the real runtime does: DRIVER(cuMemAlloc_v2)(&address, bytes). Makes a nested
// driver record.
#define DRIVER(name)                                                                           \
  ([]() -> decltype(&::name) {                                                                 \
    static const auto simgpu_entry = reinterpret_cast<decltype(&::name)>(DriverSymbol(#name)); \
    return simgpu_entry;                                                                       \
  }())

// The driver's result values are the runtime's.
inline cudaError_t Error(CUresult result) { return static_cast<cudaError_t>(result); }

// Initialises CUDA and gives the thread a context (its device's primary one) if it has none.
cudaError_t Prepare();
// Initialises CUDA only.
cudaError_t PrepareDriver();

// The calling thread's device (cudaSetDevice).
int ThreadDevice();
void SetThreadDevice(int device);

// The stream to name to the driver: 0 becomes the per-thread default stream inside a _ptsz/_ptds call.
CUstream DriverStream(cudaStream_t stream);

// The thread's last error.
cudaError_t LastError();
void SetLastError(cudaError_t error);

}  // namespace simgpu
