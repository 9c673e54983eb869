#include "simgpu/runtime/driver_library.h"

#include <dlfcn.h>

namespace simgpu {
namespace {

struct RuntimeThread {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
};

RuntimeThread& Thread() {
  static thread_local RuntimeThread thread;
  return thread;
}

void* Library() {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  return library;
}

}  // namespace

void* DriverSymbol(const char* name) { return Library() != nullptr ? dlsym(Library(), name) : nullptr; }

const RuntimeTable* Engine() {
  static const RuntimeTable* table = [] {
    auto get = reinterpret_cast<const RuntimeTable* (*)()>(DriverSymbol("simgpuRuntimeTable"));
    return get != nullptr ? get() : nullptr;
  }();
  return table;
}

cudaError_t PrepareDriver() {
  const RuntimeTable* engine = Engine();
  return engine != nullptr ? static_cast<cudaError_t>(engine->initialize()) : cudaErrorInsufficientDriver;
}

cudaError_t Prepare() {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  if (Engine()->has_context()) return cudaSuccess;
  return static_cast<cudaError_t>(Engine()->use_primary(Thread().device));
}

int ThreadDevice() { return Thread().device; }
void SetThreadDevice(int device) { Thread().device = device; }

CUstream DriverStream(cudaStream_t stream) {
  return stream == nullptr && Engine()->per_thread() ? CU_STREAM_PER_THREAD : stream;
}

cudaError_t LastError() { return Thread().last_error; }
void SetLastError(cudaError_t error) { Thread().last_error = error; }

}  // namespace simgpu

// Only the stand-in exports this: its presence tells which libcudart was loaded.
extern "C" __attribute__((visibility("default"))) const char* simgpuRuntime() { return "simgpu"; }
