// cuInit, versions, errors, entry points.
#include <dlfcn.h>

#include <cstring>
#include <string_view>

#include "simgpu/core/lifecycle.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

constexpr int kDriverVersion = CUDA_VERSION;

struct ErrorName {
  int value;
  const char* name;
};
constexpr ErrorName kErrors[] = {
#include "driver_errors.inc"
};

struct ProcAddress {
  const char* base;
  int per_thread;
  int version;
  const char* symbol;
};
constexpr ProcAddress kProcAddresses[] = {
#include "proc_addresses.inc"
};

const char* NameOf(CUresult error) {
  for (const ErrorName& row : kErrors) {
    if (row.value == static_cast<int>(error)) return row.name;
  }
  return nullptr;
}

// Newest symbol of `base` that is not newer than `version`.
const char* SymbolFor(std::string_view base, int version, bool per_thread) {
  const ProcAddress* best = nullptr;
  for (const ProcAddress& row : kProcAddresses) {
    if (base != row.base || row.version > version || (row.per_thread != 0) != per_thread) continue;
    if (best == nullptr || row.version > best->version) best = &row;
  }
  return best != nullptr ? best->symbol : nullptr;
}

}  // namespace

SIMGPU_DRIVER(cuInit)(unsigned flags) { return static_cast<CUresult>(Initialize(flags)); }

SIMGPU_DRIVER(cuDriverGetVersion)(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGetErrorName)(CUresult error, const char** text) {
  *text = NameOf(error);
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The stand-in has one text per error: its name.
SIMGPU_DRIVER(cuGetErrorString)(CUresult error, const char** text) {
  *text = NameOf(error);
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuGetProcAddress_v2)
(const char* name, void** function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult* status) {
  static void* self = dlopen(LibraryPath(), RTLD_NOW | RTLD_NOLOAD);
  *function = nullptr;
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const char* symbol = per_thread ? SymbolFor(name, version, true) : nullptr;
  if (symbol == nullptr) symbol = SymbolFor(name, version, false);
  if (symbol == nullptr && std::strncmp(name, "cu", 2) == 0 && SymbolFor(name, INT32_MAX, false) == nullptr)
    symbol = name;
  if (symbol != nullptr) *function = dlsym(self, symbol);
  if (status != nullptr)
    *status = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function != nullptr || status != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// The undocumented tables are not ours to offer.
SIMGPU_DRIVER(cuGetExportTable)(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

SIMGPU_DRIVER(cuProfilerStart)() { return CUDA_SUCCESS; }
SIMGPU_DRIVER(cuProfilerStop)() { return CUDA_SUCCESS; }

}  // namespace simgpu
