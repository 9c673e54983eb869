// What the starter of CuptiSource may choose. Plain data; fixed for the life of the process (kinds are enabled once:
// toggling them is broken in CUPTI 13.0).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/rearm_timer.h"

namespace slowtoken::cupti {

struct ApiTable;

// What is recorded of a CUDA graph launch: one interval for the whole graph (cheap, the default), or each of its nodes.
enum class GraphLevel : uint8_t { kLaunch, kNode };

struct Options {
  GraphLevel graph_level = GraphLevel::kLaunch;
  // Activity buffers. With per-thread buffers (CUPTI's default since CUDA 12.9) each thread that calls CUDA holds one.
  uint32_t buffer_count = 32;
  size_t buffer_bytes = 1u << 20;
  // The driver was up before us (the C API door): ask for records of the devices, contexts and streams that exist.
  bool attach_late = false;
  // Another client had CUPTI since we did: what it left in its buffers is flushed away before our kinds are enabled.
  bool again = false;
  RearmTimer::Times rearm;
  // Launches go on and none of them has started anything for this long: somebody switched the kernel kind off.
  base::TimeNs starved_after = 10'000'000'000;
  // A CUPTI to use instead of looking for one, and a probe call (tests). The table must outlive the source.
  const ApiTable* api = nullptr;
  int (*probe)(int*) = nullptr;
};

}  // namespace slowtoken::cupti
