#include "simgpu/runtime/registration.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "simgpu/runtime/driver_library.h"
#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

struct RegisteredKernel {
  Binary* binary = nullptr;
  std::string name;
  void* kernel = nullptr;
};

struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<const void*, RegisteredKernel> kernels;
  std::unordered_map<const void*, RegisteredVariable> variables;
};

Registry& All() {
  static Registry* registry = new Registry;
  return *registry;
}

// Stores the addresses of the binary's managed variables where the program reads them.
void PlaceManaged(Binary* binary) {
  std::shared_lock lock(All().mutex);
  for (auto& [symbol, variable] : All().variables) {
    if (variable.binary != binary || variable.managed == nullptr) continue;
    *variable.managed = Engine()->managed_variable(binary->module, variable.name.c_str(), variable.size);
  }
}

RegisteredKernel* Find(const void* function) {
  auto found = All().kernels.find(function);
  return found != All().kernels.end() ? &found->second : nullptr;
}

}  // namespace

void* ModuleOf(Binary* binary) {
  static std::mutex* mutex = new std::mutex;
  if (Engine() == nullptr) return nullptr;
  std::lock_guard lock(*mutex);
  if (binary->module == nullptr) {
    binary->module = Engine()->load_module(binary->wrapper);
    if (binary->module != nullptr) PlaceManaged(binary);
  }
  return binary->module;
}

CUfunction KernelOf(const void* function) {
  RegisteredKernel* entry = nullptr;
  {
    std::shared_lock lock(All().mutex);
    entry = Find(function);
    if (entry != nullptr && entry->kernel != nullptr) return static_cast<CUfunction>(entry->kernel);
  }
  if (Engine() == nullptr || function == nullptr) return nullptr;
  if (entry == nullptr)
    return Engine()->kernel_name(function) != nullptr ? static_cast<CUfunction>(const_cast<void*>(function)) : nullptr;
  void* module = ModuleOf(entry->binary);
  void* kernel = Engine()->find_kernel(module, entry->name.c_str());
  std::unique_lock lock(All().mutex);
  entry->kernel = kernel;
  return static_cast<CUfunction>(kernel);
}

const char* KernelName(const void* function) {
  {
    std::shared_lock lock(All().mutex);
    if (const RegisteredKernel* entry = Find(function)) return entry->name.c_str();
  }
  return Engine() != nullptr && function != nullptr ? Engine()->kernel_name(function) : nullptr;
}

bool FindVariable(const void* symbol, RegisteredVariable* out) {
  std::shared_lock lock(All().mutex);
  auto found = All().variables.find(symbol);
  if (found == All().variables.end()) return false;
  *out = found->second;
  return true;
}

}  // namespace simgpu

using simgpu::All;
using simgpu::Binary;

extern "C" {

#define SIMGPU_RAW_EXPORT(type, name) SIMGPU_EXPORT type name

// crt/host_runtime.h. These run before main and touch neither the driver nor the engine.
SIMGPU_RAW_EXPORT(void**, __cudaRegisterFatBinary)(void* wrapper) {
  auto* binary = new Binary;
  binary->wrapper = wrapper;
  return reinterpret_cast<void**>(binary);
}

SIMGPU_RAW_EXPORT(void, __cudaRegisterFatBinaryEnd)(void**) {}
// From the program's atexit; kernels stay known, as late calls are answered with an error, not a crash.
SIMGPU_RAW_EXPORT(void, __cudaUnregisterFatBinary)(void**) {}

SIMGPU_RAW_EXPORT(void, __cudaRegisterFunction)
(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
  std::unique_lock lock(All().mutex);
  All().kernels[host] = {reinterpret_cast<Binary*>(handle), name, nullptr};
}

SIMGPU_RAW_EXPORT(void, __cudaRegisterVar)
(void** handle, char* host, char*, const char* name, int, size_t size, int, int) {
  std::unique_lock lock(All().mutex);
  All().variables[host] = {reinterpret_cast<Binary*>(handle), name, size, nullptr};
}

SIMGPU_RAW_EXPORT(void, __cudaRegisterHostVar)(void**, const char*, char*, size_t) {}

SIMGPU_RAW_EXPORT(void, __cudaRegisterManagedVar)
(void** handle, void** pointer, char*, const char* name, int, size_t size, int, int) {
  std::unique_lock lock(All().mutex);
  // The symbol calls get the address of the pointer variable.
  All().variables[pointer] = {reinterpret_cast<Binary*>(handle), name, size, pointer};
}

SIMGPU_RAW_EXPORT(char, __cudaInitModule)(void** handle) {
  if (simgpu::Prepare() != cudaSuccess) return 0;
  return simgpu::ModuleOf(reinterpret_cast<Binary*>(handle)) != nullptr ? 1 : 0;
}

// Called once per kernel and translation unit; the program keeps the answer for good. So it must not depend on the
// state of the driver.
SIMGPU_RAW_EXPORT(cudaError_t, __cudaGetKernel)(cudaKernel_t* kernel, const void* host) {
  (void)simgpu::Prepare();
  *kernel = reinterpret_cast<cudaKernel_t>(simgpu::KernelOf(host));
  return *kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

}  // extern "C"
