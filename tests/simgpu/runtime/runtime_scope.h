// For the hand-written runtime functions and their generated wrappers. Write `SIMGPU_RUNTIME(cudaName)(arguments) { ...
// }` at the beginning of a line in a file of runtime/: the generator makes the exported function, its _ptsz/_ptds twin,
// the cbid and the params struct.
#pragma once

#include <cuda_runtime_api.h>

#include <cstring>

#include "simgpu/core/api_frame.h"
#include "simgpu/runtime/driver_library.h"
#include "simgpu/runtime/registration.h"

#define SIMGPU_EXPORT __attribute__((visibility("default")))
#define SIMGPU_RUNTIME(name) cudaError_t name##_impl

namespace simgpu {

class ApiScope {
 public:
  ApiScope(uint32_t cbid, const char* name, const void* params, bool per_thread, bool) : name_(name) {
    if (Engine() != nullptr) {
      Engine()->api_begin(&frame_, SIMGPU_DOMAIN_RUNTIME, cbid, name, params, per_thread, false);
      return;
    }
    frame_.traced = false;
    frame_.refused = false;
    frame_.result = 0;
  }
  ~ApiScope() {
    if (Engine() != nullptr) Engine()->api_end(&frame_);
  }
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;

  bool Traced() const { return frame_.traced; }
  void SetSymbol(const char* symbol) { symbol_ = symbol; }
  void Enter() {
    if (frame_.traced) Engine()->api_enter(&frame_, symbol_);
    if (frame_.refused) Note();
  }
  bool Refused() const { return frame_.refused; }
  void Result(cudaError_t result) {
    frame_.result = result;
    Note();
  }
  template <typename T>
  T Return() const {
    return static_cast<T>(frame_.result);
  }

 private:
  // "Not ready" is an answer, not an error; and asking for the last error does not make one.
  void Note() const {
    if (frame_.result == cudaSuccess || frame_.result == cudaErrorNotReady) return;
    if (std::strstr(name_, "LastError") == nullptr) SetLastError(static_cast<cudaError_t>(frame_.result));
  }

  ApiFrame frame_;
  const char* name_;
  const char* symbol_ = nullptr;
};

inline const char* LaunchSymbol(const void* function) { return KernelName(function); }

}  // namespace simgpu

// The first line of nearly every function: no driver, no device, forked child, exit.
#define SIMGPU_PREPARE() \
  if (const cudaError_t error = ::simgpu::Prepare(); error != cudaSuccess) return error
