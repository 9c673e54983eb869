// Modules, libraries, kernels, functions. A library's kernel, a module's function and the runtime's kernel handle are
// one object.
#include "simgpu/core/module.h"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "simgpu/core/capture.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

CUmodule ModuleHandle(Module* module) { return reinterpret_cast<CUmodule>(module); }

CUresult Load(CUmodule* out, const void* image) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  Module* module = LoadModule(image, context);
  if (module == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  *out = ModuleHandle(module);
  return CUDA_SUCCESS;
}

bool ReadFile(const char* path, std::vector<char>* content) {
  std::ifstream file(path, std::ios::binary);
  content->assign(std::istreambuf_iterator<char>(file), {});
  content->push_back(0);
  return content->size() > 1;
}

int CurrentDevice() {
  Context* context = CurrentContext();
  return context != nullptr ? context->device : 0;
}

CUresult Global(Module* module, CUdeviceptr* address, size_t* bytes, const char* name) {
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  size_t size = 0;
  const CUdeviceptr found = VariableAddress(module, name, CurrentDevice(), &size);
  if (found == 0) return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = found;
  if (bytes != nullptr) *bytes = size;
  return CUDA_SUCCESS;
}

CUresult Attribute(int* value, CUfunction_attribute attribute, const Function* function) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(function->info.max_threads);
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(function->info.static_shared);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = static_cast<int>(function->info.registers);
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 90;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = function->max_dynamic_shared;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = function->carveout;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult SetAttribute(Function* function, CUfunction_attribute attribute, int value) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || value > 232448) return CUDA_ERROR_INVALID_VALUE;
    function->max_dynamic_shared = value;
  }
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) function->carveout = value;
  return CUDA_SUCCESS;
}

CUresult ParameterInfo(const Function* function, size_t index, size_t* offset, size_t* size) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (index >= function->info.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = function->info.parameters[index].offset;
  if (size != nullptr) *size = function->info.parameters[index].size;
  return CUDA_SUCCESS;
}

CUresult Name(const char** name, const Function* function) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *name = function->info.name.c_str();
  return CUDA_SUCCESS;
}

CUresult Find(Module* module, const char* name, Function** out) {
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *out = FindFunction(module, name);
  return *out != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace

SIMGPU_DRIVER(cuModuleLoadData)(CUmodule* out, const void* image) { return Load(out, image); }
SIMGPU_DRIVER(cuModuleLoadDataEx)(CUmodule* out, const void* image, unsigned, CUjit_option*, void**) {
  return Load(out, image);
}
SIMGPU_DRIVER(cuModuleLoadFatBinary)(CUmodule* out, const void* image) { return Load(out, image); }

SIMGPU_DRIVER(cuModuleLoad)(CUmodule* out, const char* path) {
  std::vector<char> content;
  return ReadFile(path, &content) ? Load(out, content.data()) : CUDA_ERROR_FILE_NOT_FOUND;
}

SIMGPU_DRIVER(cuModuleUnload)(CUmodule handle) {
  Module* module = ModuleFrom(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  UnloadModule(module);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuModuleGetFunction)(CUfunction* out, CUmodule handle, const char* name) {
  Function* function = nullptr;
  const CUresult result = Find(ModuleFrom(handle), name, &function);
  *out = reinterpret_cast<CUfunction>(function);
  return result;
}

SIMGPU_DRIVER(cuModuleGetGlobal_v2)(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
  return Global(ModuleFrom(handle), address, bytes, name);
}

SIMGPU_DRIVER(cuModuleGetLoadingMode)(CUmoduleLoadingMode* mode) {
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuModuleGetFunctionCount)(unsigned* count, CUmodule handle) {
  Module* module = ModuleFrom(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *count = static_cast<unsigned>(module->functions.size());
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuLibraryLoadData)
(CUlibrary* out, const void* image, CUjit_option*, void**, unsigned, CUlibraryOption*, void**, unsigned) {
  Module* module = LoadModule(image, nullptr);
  if (module == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  *out = reinterpret_cast<CUlibrary>(module);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuLibraryLoadFromFile)
(CUlibrary* out, const char* path, CUjit_option*, void**, unsigned, CUlibraryOption*, void**, unsigned) {
  std::vector<char> content;
  if (!ReadFile(path, &content)) return CUDA_ERROR_FILE_NOT_FOUND;
  Module* module = LoadModule(content.data(), nullptr);
  if (module == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  *out = reinterpret_cast<CUlibrary>(module);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuLibraryUnload)(CUlibrary handle) {
  Module* module = ModuleFrom(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  UnloadModule(module);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuLibraryGetKernel)(CUkernel* out, CUlibrary handle, const char* name) {
  Function* function = nullptr;
  const CUresult result = Find(ModuleFrom(handle), name, &function);
  *out = reinterpret_cast<CUkernel>(function);
  return result;
}

SIMGPU_DRIVER(cuLibraryGetKernelCount)(unsigned* count, CUlibrary handle) {
  Module* module = ModuleFrom(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *count = static_cast<unsigned>(module->functions.size());
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuLibraryEnumerateKernels)(CUkernel* out, unsigned count, CUlibrary handle) {
  Module* module = ModuleFrom(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (unsigned i = 0; i < count && i < module->functions.size(); ++i)
    out[i] = reinterpret_cast<CUkernel>(module->functions[i].get());
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuLibraryGetModule)(CUmodule* out, CUlibrary handle) {
  Module* module = ModuleFrom(handle);
  *out = ModuleHandle(module);
  return module != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

SIMGPU_DRIVER(cuLibraryGetGlobal)(CUdeviceptr* address, size_t* bytes, CUlibrary handle, const char* name) {
  return Global(ModuleFrom(handle), address, bytes, name);
}

SIMGPU_DRIVER(cuKernelGetFunction)(CUfunction* out, CUkernel handle) {
  *out = reinterpret_cast<CUfunction>(FunctionFrom(handle));
  return *out != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

SIMGPU_DRIVER(cuKernelGetName)(const char** name, CUkernel handle) { return Name(name, FunctionFrom(handle)); }

SIMGPU_DRIVER(cuKernelGetAttribute)(int* value, CUfunction_attribute attribute, CUkernel handle, CUdevice) {
  return Attribute(value, attribute, FunctionFrom(handle));
}

SIMGPU_DRIVER(cuKernelSetAttribute)(CUfunction_attribute attribute, int value, CUkernel handle, CUdevice) {
  return SetAttribute(FunctionFrom(handle), attribute, value);
}

SIMGPU_DRIVER(cuKernelGetParamInfo)(CUkernel handle, size_t index, size_t* offset, size_t* size) {
  return ParameterInfo(FunctionFrom(handle), index, offset, size);
}

SIMGPU_DRIVER(cuKernelSetCacheConfig)(CUkernel, CUfunc_cache, CUdevice) { return CUDA_SUCCESS; }
SIMGPU_DRIVER(cuFuncGetName)(const char** name, CUfunction handle) { return Name(name, FunctionFrom(handle)); }

SIMGPU_DRIVER(cuFuncGetModule)(CUmodule* out, CUfunction handle) {
  Function* function = FunctionFrom(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *out = ModuleHandle(function->module);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuFuncGetAttribute)(int* value, CUfunction_attribute attribute, CUfunction handle) {
  return Attribute(value, attribute, FunctionFrom(handle));
}

SIMGPU_DRIVER(cuFuncSetAttribute)(CUfunction handle, CUfunction_attribute attribute, int value) {
  return SetAttribute(FunctionFrom(handle), attribute, value);
}

SIMGPU_DRIVER(cuFuncGetParamInfo)(CUfunction handle, size_t index, size_t* offset, size_t* size) {
  return ParameterInfo(FunctionFrom(handle), index, offset, size);
}

SIMGPU_DRIVER(cuFuncSetCacheConfig)(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }
SIMGPU_DRIVER(cuFuncLoad)(CUfunction) { return CUDA_SUCCESS; }

SIMGPU_DRIVER(cuFuncIsLoaded)(CUfunctionLoadingState* state, CUfunction) {
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuModuleEnumerateFunctions)(CUfunction* out, unsigned count, CUmodule handle) {
  Module* module = ModuleFrom(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (unsigned i = 0; i < count && i < module->functions.size(); ++i)
    out[i] = reinterpret_cast<CUfunction>(module->functions[i].get());
  return CUDA_SUCCESS;
}

}  // namespace simgpu
