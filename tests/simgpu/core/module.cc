#include "simgpu/core/module.h"

#include <atomic>
#include <cstring>
#include <mutex>

#include "simgpu/core/context.h"
#include "simgpu/core/memory.h"
#include "simgpu/core/tool.h"

namespace simgpu {
namespace {

std::mutex& ModuleMutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}

Function* AddFunction(Module* module, KernelInfo info) {
  auto function = std::make_unique<Function>();
  function->info = std::move(info);
  function->module = module;
  module->functions.push_back(std::move(function));
  return module->functions.back().get();
}

void SendModuleEvent(SimgpuResourceEventKind kind, Module* module) {
  ResourceEvent event(kind, module->context != nullptr ? module->context : CurrentContext());
  event.module = reinterpret_cast<CUmod_st*>(module);
  event.module_id = module->id;
  event.cubin = module->image.data();
  event.cubin_size = module->image.size();
  event.Send();
}

// False for something that is neither a cubin nor PTX.
bool ParseImage(const std::vector<uint8_t>& image, ImageInfo* info) {
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  const bool elf = text.starts_with("\177ELF");
  *info = elf ? ParseCubin(image) : ParsePtx(text);
  return elf || text.find(".version") != std::string_view::npos;
}

void* Initialise(CUdeviceptr address, const VariableInfo& info) {
  void* host = HostAlias(reinterpret_cast<void*>(address));
  std::memset(host, 0, info.size);
  if (!info.initial.empty()) std::memcpy(host, info.initial.data(), info.initial.size());
  return host;
}

}  // namespace

Module* LoadModule(const void* data, Context* context) {
  static std::atomic<uint32_t> next_id{1};
  auto* module = new Module;
  module->image = ExtractImage(data);
  if (module->image.empty()) {
    delete module;
    return nullptr;
  }
  ImageInfo info;
  if (!ParseImage(module->image, &info)) {
    delete module;
    return nullptr;
  }
  module->id = next_id.fetch_add(1);
  module->context = context;
  for (KernelInfo& kernel : info.kernels) AddFunction(module, std::move(kernel));
  for (VariableInfo& variable : info.variables) {
    const std::string name = variable.name;
    module->variables[name].info = std::move(variable);
  }
  SendModuleEvent(SIMGPU_MODULE_LOADED, module);
  return module;
}

void UnloadModule(Module* module) {
  SendModuleEvent(SIMGPU_MODULE_UNLOAD_STARTING, module);
  std::lock_guard lock(ModuleMutex());
  module->magic = 0;
  for (auto& [name, variable] : module->variables) {
    for (auto& [device, address] : variable.addresses)
      Release(address, variable.managed ? MemoryKind::kManaged : MemoryKind::kDevice);
    variable.addresses.clear();
  }
}

Function* FindFunction(Module* module, std::string_view name) {
  std::lock_guard lock(ModuleMutex());
  for (auto& function : module->functions) {
    if (function->info.name == name) return function.get();
  }
  return nullptr;
}

Function* FindOrAddFunction(Module* module, std::string_view name) {
  if (Function* found = FindFunction(module, name)) return found;
  std::lock_guard lock(ModuleMutex());
  KernelInfo info;
  info.name = name;
  return AddFunction(module, std::move(info));
}

CUdeviceptr VariableAddress(Module* module, std::string_view name, int device, size_t* size) {
  std::lock_guard lock(ModuleMutex());
  auto found = module->variables.find(name);
  if (found == module->variables.end()) return 0;
  Variable& variable = found->second;
  if (size != nullptr) *size = variable.info.size;
  if (variable.managed) return variable.addresses[0];
  CUdeviceptr& address = variable.addresses[device];
  if (address == 0) {
    address = AllocateDevice(device, variable.info.size, nullptr);
    if (address != 0) Initialise(address, variable.info);
  }
  return address;
}

void* ManagedAddress(Module* module, std::string_view name, size_t size) {
  std::lock_guard lock(ModuleMutex());
  Variable& variable = module->variables[std::string(name)];
  variable.info.name = name;
  if (variable.info.size == 0) variable.info.size = size;
  CUdeviceptr& address = variable.addresses[0];
  if (!variable.managed || address == 0) {
    variable.managed = true;
    address = reinterpret_cast<CUdeviceptr>(AllocateHost(variable.info.size, MemoryKind::kManaged, 0));
    Initialise(address, variable.info);
  }
  return reinterpret_cast<void*>(address);
}

Function* FunctionFrom(const void* handle) {
  auto* function = static_cast<Function*>(const_cast<void*>(handle));
  return function != nullptr && function->magic == Function::kMagic ? function : nullptr;
}

Module* ModuleFrom(const void* handle) {
  auto* module = static_cast<Module*>(const_cast<void*>(handle));
  return module != nullptr && module->magic == Module::kMagic ? module : nullptr;
}

}  // namespace simgpu
