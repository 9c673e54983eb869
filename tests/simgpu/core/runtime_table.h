// What the libcudart stand-in needs from the engine beyond the public driver API: one table, found by
// dlsym("simgpuRuntimeTable"). None of these calls makes an API record.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "simgpu/core/api_frame.h"

namespace simgpu {

struct RuntimeTable {
  uint32_t struct_size;
  void (*api_begin)(ApiFrame*, uint32_t domain, uint32_t cbid, const char* name, const void* params, bool per_thread,
                    bool needs_ready);
  void (*api_enter)(ApiFrame*, const char* symbol);
  void (*api_end)(ApiFrame*);
  // The running call is a _ptsz/_ptds twin.
  bool (*per_thread)();
  // cuInit without a record; a CUresult.
  int (*initialize)();
  bool (*has_context)();
  // Makes the device's primary context current, creating it if need be; a CUresult.
  int (*use_primary)(int device);
  // Fat binaries of the program. A module handle, or nullptr.
  void* (*load_module)(const void* fatbin);
  // A kernel by mangled name; added without parameters if the image does not list it. nullptr for a null module.
  void* (*find_kernel)(void* module, const char* name);
  const char* (*kernel_name)(const void* kernel);  // nullptr if it is none
  CUdeviceptr (*variable)(void* module, const char* name, size_t* size);
  void* (*managed_variable)(void* module, const char* name, size_t size);
  // 0 host unregistered, 1 host pinned, 2 device, 3 managed (cudaMemoryType); fills device.
  int (*memory_type)(const void* address, int* device);
};

}  // namespace simgpu
