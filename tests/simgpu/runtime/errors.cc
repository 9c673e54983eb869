// Errors and versions.
#include <cstring>

#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

struct ErrorName {
  int value;
  const char* name;
};
constexpr ErrorName kErrors[] = {
#include "runtime_errors.inc"
};

const char* NameOf(cudaError_t error) {
  for (const ErrorName& row : kErrors) {
    if (row.value == static_cast<int>(error)) return row.name;
  }
  return "unrecognized error code";
}

}  // namespace

SIMGPU_RUNTIME(cudaGetLastError)() {
  const cudaError_t error = LastError();
  SetLastError(cudaSuccess);
  return error;
}

SIMGPU_RUNTIME(cudaPeekAtLastError)() { return LastError(); }

SIMGPU_RUNTIME(cudaRuntimeGetVersion)(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

SIMGPU_RUNTIME(cudaDriverGetVersion)(int* version) {
  *version = 0;
  return Engine() != nullptr ? Error(DRIVER(cuDriverGetVersion)(version)) : cudaSuccess;
}

SIMGPU_RUNTIME(cudaProfilerStart)() { return Prepare(); }
SIMGPU_RUNTIME(cudaProfilerStop)() { return Prepare(); }

SIMGPU_RUNTIME(cudaGetDriverEntryPointByVersion)
(const char* symbol, void** function, unsigned version, unsigned long long flags,
 cudaDriverEntryPointQueryResult* status) {
  SIMGPU_PREPARE();
  CUdriverProcAddressQueryResult found{};
  const CUresult result = DRIVER(cuGetProcAddress_v2)(symbol, function, static_cast<int>(version), flags, &found);
  if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
  return Error(result);
}

SIMGPU_RUNTIME(cudaGetDriverEntryPoint)
(const char* symbol, void** function, unsigned long long flags, cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion_impl(symbol, function, CUDART_VERSION, flags, status);
}

}  // namespace simgpu

extern "C" {

#define SIMGPU_RAW_EXPORT(type, name) SIMGPU_EXPORT type name

SIMGPU_RAW_EXPORT(const char*, cudaGetErrorName)(cudaError_t error) { return simgpu::NameOf(error); }
// The stand-in has one text per error: its name.
SIMGPU_RAW_EXPORT(const char*, cudaGetErrorString)(cudaError_t error) { return simgpu::NameOf(error); }

}  // extern "C"
