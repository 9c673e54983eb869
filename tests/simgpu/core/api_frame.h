// One API call in progress: enter, call, exit. The generated wrapper of every exported function holds one on its stack.
// Without a tool, faults and modelled costs it is about 5 ns.
#pragma once

#include <cstdint>

#include "simgpu/core/tool_interface.h"

namespace simgpu {

struct ApiFrame {
  // Uninitialised until used: this is on every API call's path.
  SimgpuApiCall call;  // NOLINT
  const char* name;
  const void* params;
  uint64_t cost_from_ns;
  uint32_t domain, cbid;
  int result;
  bool refused;  // the fault plan or the end state answered: the implementation must not run
  bool traced;
  bool saved_per_thread;
};

// In libcuda. `needs_ready`: fails with NOT_INITIALIZED / DEINITIALIZED outside cuInit .. exit.
void ApiBegin(ApiFrame* frame, uint32_t domain, uint32_t cbid, const char* name, const void* params, bool per_thread,
              bool needs_ready);
void ApiEnter(ApiFrame* frame, const char* symbol);
void ApiEnd(ApiFrame* frame);

}  // namespace simgpu
