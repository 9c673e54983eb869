// Loaded modules (cuModule*, cuLibrary* and the runtime's fat binaries alike), their kernels and variables. Functions
// are never freed: tools and the runtime's static kernel handles keep pointers to them. CUfunction, CUkernel and
// cudaKernel_t are all Function*.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simgpu/core/cost_model.h"
#include "simgpu/core/cubin.h"

namespace simgpu {

struct Module;
struct Context;

struct Function {
  static constexpr uint32_t kMagic = 0x46554e43;

  uint32_t magic = kMagic;
  KernelInfo info;
  Module* module = nullptr;
  KernelModel model;
  int max_dynamic_shared = 49152;
  int carveout = -1;
};

struct Variable {
  VariableInfo info;
  // Per device: the address, 0 until first use. Managed variables have one address for all.
  std::map<int, CUdeviceptr> addresses;
  bool managed = false;
};

struct Module {
  static constexpr uint32_t kMagic = 0x4d4f4455;

  uint32_t magic = kMagic;
  uint32_t id = 0;
  Context* context = nullptr;  // of cuModuleLoad*; nullptr for libraries
  std::vector<uint8_t> image;
  std::vector<std::unique_ptr<Function>> functions;
  std::map<std::string, Variable, std::less<>> variables;
};

// nullptr if `data` holds no image. Tells the tool (lazily loaded modules: at load).
Module* LoadModule(const void* data, Context* context);
void UnloadModule(Module* module);
Function* FindFunction(Module* module, std::string_view name);
// As FindFunction; a kernel the image does not list is added without parameters (PTX only, unreadable image).
Function* FindOrAddFunction(Module* module, std::string_view name);
// The variable's address on `device`, allocated and initialised at first use; 0 if unknown.
CUdeviceptr VariableAddress(Module* module, std::string_view name, int device, size_t* size);
// Makes a variable managed and returns its (host and device) address.
void* ManagedAddress(Module* module, std::string_view name, size_t size);

Function* FunctionFrom(const void* handle);  // nullptr if bad
Module* ModuleFrom(const void* handle);

}  // namespace simgpu
