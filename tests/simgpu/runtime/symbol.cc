// Device variables by symbol.
#include "simgpu/runtime/copy.h"
#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

cudaError_t Locate(const void* symbol, CUdeviceptr* address, size_t* size) {
  SIMGPU_PREPARE();
  RegisteredVariable variable;
  if (!FindVariable(symbol, &variable)) return cudaErrorInvalidSymbol;
  *address = Engine()->variable(ModuleOf(variable.binary), variable.name.c_str(), size);
  return *address != 0 ? cudaSuccess : cudaErrorInvalidSymbol;
}

cudaError_t Part(const void* symbol, size_t bytes, size_t offset, CUdeviceptr* address) {
  size_t size = 0;
  if (const cudaError_t error = Locate(symbol, address, &size); error != cudaSuccess) return error;
  if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
  *address += offset;
  return cudaSuccess;
}

void* Pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace

SIMGPU_RUNTIME(cudaGetSymbolAddress)(void** out, const void* symbol) {
  CUdeviceptr address = 0;
  size_t size = 0;
  const cudaError_t error = Locate(symbol, &address, &size);
  *out = Pointer(address);
  return error;
}

SIMGPU_RUNTIME(cudaGetSymbolSize)(size_t* size, const void* symbol) {
  CUdeviceptr address = 0;
  return Locate(symbol, &address, size);
}

SIMGPU_RUNTIME(cudaMemcpyToSymbol)(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind) {
  CUdeviceptr address = 0;
  if (const cudaError_t error = Part(symbol, bytes, offset, &address); error != cudaSuccess) return error;
  return Error(DRIVER(cuMemcpyHtoD_v2)(address, from, bytes));
}

SIMGPU_RUNTIME(cudaMemcpyFromSymbol)(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind) {
  CUdeviceptr address = 0;
  if (const cudaError_t error = Part(symbol, bytes, offset, &address); error != cudaSuccess) return error;
  return Error(DRIVER(cuMemcpyDtoH_v2)(to, address, bytes));
}

SIMGPU_RUNTIME(cudaMemcpyToSymbolAsync)
(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  CUdeviceptr address = 0;
  if (const cudaError_t error = Part(symbol, bytes, offset, &address); error != cudaSuccess) return error;
  return Error(DRIVER(cuMemcpyHtoDAsync_v2)(address, from, bytes, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaMemcpyFromSymbolAsync)
(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  CUdeviceptr address = 0;
  if (const cudaError_t error = Part(symbol, bytes, offset, &address); error != cudaSuccess) return error;
  return Error(DRIVER(cuMemcpyDtoHAsync_v2)(to, address, bytes, DriverStream(stream)));
}

}  // namespace simgpu
