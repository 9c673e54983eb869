// For the hand-written driver functions and their generated wrappers. Write `SIMGPU_DRIVER(cuName_v2)(arguments) { ...
// }` at the beginning of a line in a file of driver/: the generator makes the exported function, its _ptsz/_ptds twin,
// the cbid and the params struct.
#pragma once

#include <cuda.h>

#include "simgpu/core/api_frame.h"
#include "simgpu/core/context.h"
#include "simgpu/core/module.h"
#include "simgpu/core/stream.h"
#include "simgpu/core/thread_state.h"

#define SIMGPU_EXPORT __attribute__((visibility("default")))
#define SIMGPU_DRIVER(name) CUresult name##_impl

namespace simgpu {

class ApiScope {
 public:
  ApiScope(uint32_t cbid, const char* name, const void* params, bool per_thread, bool needs_ready) {
    ApiBegin(&frame_, SIMGPU_DOMAIN_DRIVER, cbid, name, params, per_thread, needs_ready);
  }
  ~ApiScope() { ApiEnd(&frame_); }
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;

  bool Traced() const { return frame_.traced; }
  void SetSymbol(const char* symbol) { symbol_ = symbol; }
  void Enter() { ApiEnter(&frame_, symbol_); }
  bool Refused() const { return frame_.refused; }
  void Result(CUresult result) { frame_.result = result; }
  template <typename T>
  T Return() const {
    return static_cast<T>(frame_.result);
  }

 private:
  ApiFrame frame_;
  const char* symbol_ = nullptr;
};

inline const char* LaunchSymbol(const void* function) {
  const Function* found = FunctionFrom(function);
  return found != nullptr ? found->info.name.c_str() : nullptr;
}

// The stream of the running call; per-thread default streams understood.
inline Stream* StreamOf(CUstream handle) { return ResolveStream(handle, Thread().per_thread); }

// Why StreamOf returned nullptr.
inline CUresult BadStream() {
  return CurrentContext() == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace simgpu
