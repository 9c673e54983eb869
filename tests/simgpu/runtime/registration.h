// What the program's global constructors register: fat binaries, kernels, variables. Keys are host addresses.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace simgpu {

struct Binary {
  const void* wrapper = nullptr;
  void* module = nullptr;  // loaded at first use (lazy loading)
};

struct RegisteredVariable {
  Binary* binary = nullptr;
  std::string name;
  size_t size = 0;
  void** managed = nullptr;  // where the program wants a managed variable's address
};

// Driver kernel of a host stub address or a cudaKernel_t; loads the module if need be. nullptr: unknown.
CUfunction KernelOf(const void* function);
// Its mangled name without loading anything; nullptr: unknown.
const char* KernelName(const void* function);
// False if `symbol` is no registered variable.
bool FindVariable(const void* symbol, RegisteredVariable* out);
void* ModuleOf(Binary* binary);

}  // namespace simgpu
