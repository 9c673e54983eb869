// What the engine keeps per application thread. Lives in libcuda only: the runtime library reaches it through the
// runtime table, since a second copy of these thread-locals would hand out other correlation ids.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace simgpu {

struct Context;
struct Stream;

struct ThreadState {
  static constexpr uint32_t kMaxContexts = 32;

  uint32_t depth = 0;        // API calls in progress
  uint32_t correlation = 0;  // of the outermost one
  bool per_thread = false;   // the innermost call is a _ptsz/_ptds twin
  bool in_hook = false;
  bool initialising = false;  // inside cuInit: InitializeInjection may call CUDA
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  uint32_t context_count = 0;
  Context* contexts[kMaxContexts] = {};
  Stream* per_thread_stream = nullptr;  // of per_thread_context
  Context* per_thread_context = nullptr;
};

ThreadState& Thread();

}  // namespace simgpu
