#include "simgpu/core/runtime_table.h"

#include "simgpu/core/context.h"
#include "simgpu/core/device.h"
#include "simgpu/core/lifecycle.h"
#include "simgpu/core/memory.h"
#include "simgpu/core/module.h"
#include "simgpu/core/thread_state.h"

namespace simgpu {
namespace {

int UsePrimary(int device) {
  if (const int error = ReadyError(); error != 0) return error;
  if (device < 0 || device >= DeviceCount()) return CUDA_ERROR_INVALID_DEVICE;
  SetCurrentContext(RetainPrimary(device));
  return CUDA_SUCCESS;
}

CUdeviceptr VariableOf(void* module, const char* name, size_t* size) {
  Context* context = CurrentContext();
  Module* found = ModuleFrom(module);
  return found != nullptr ? VariableAddress(found, name, context != nullptr ? context->device : 0, size) : 0;
}

int MemoryType(const void* address, int* device) {
  const PointerInfo info = Classify(address);
  *device = info.device;
  switch (info.kind) {
    case MemoryKind::kPageable:
      return 0;
    case MemoryKind::kPinned:
      return 1;
    case MemoryKind::kDevice:
      return 2;
    case MemoryKind::kManaged:
      return 3;
  }
  return 0;
}

}  // namespace
}  // namespace simgpu

extern "C" __attribute__((visibility("default"))) const simgpu::RuntimeTable* simgpuRuntimeTable() {
  using namespace simgpu;
  static const RuntimeTable table{
      sizeof(RuntimeTable),
      ApiBegin,
      ApiEnter,
      ApiEnd,
      [] { return Thread().per_thread; },
      [] { return Initialize(0); },
      [] { return CurrentContext() != nullptr; },
      UsePrimary,
      [](const void* fatbin) -> void* { return LoadModule(fatbin, nullptr); },
      [](void* module, const char* name) -> void* {
        Module* found = ModuleFrom(module);
        return found != nullptr ? FindOrAddFunction(found, name) : nullptr;
      },
      [](const void* kernel) -> const char* {
        const Function* function = FunctionFrom(kernel);
        return function != nullptr ? function->info.name.c_str() : nullptr;
      },
      VariableOf,
      [](void* module, const char* name, size_t size) -> void* {
        Module* found = ModuleFrom(module);
        return found != nullptr ? ManagedAddress(found, name, size) : nullptr;
      },
      MemoryType,
  };
  return &table;
}
