// How the engine runs an iteration on the GPU: by a call in the same process, or by a message to the worker process.
#pragma once

#include "core/messages.h"

namespace slowtoken::demo {

class WorkerPort {
 public:
  virtual ~WorkerPort() = default;

  // Runs the iteration to its end: launches, waits for the GPU, samples. The engine's thread; blocks for its duration.
  // An error (PlanResult::error) means the GPU cannot be used any more.
  virtual PlanResult Run(const Plan& plan) = 0;
};

}  // namespace slowtoken::demo
