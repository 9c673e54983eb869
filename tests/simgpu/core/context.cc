#include "simgpu/core/context.h"

#include <algorithm>
#include <array>

#include "simgpu/core/device.h"
#include "simgpu/core/stream.h"
#include "simgpu/core/thread_state.h"
#include "simgpu/core/timeline.h"
#include "simgpu/core/tool.h"

namespace simgpu {
namespace {

struct Contexts {
  std::mutex mutex;
  std::vector<Context*> alive;
  std::array<Context*, kMaxDevices> primary{};
  std::array<unsigned, kMaxDevices> primary_flags{};
  uint32_t next_uid = 1;
};

Contexts& All() {
  static Contexts* contexts = new Contexts;
  return *contexts;
}

void DropFromThread(Context* context) {
  ThreadState& thread = Thread();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < thread.context_count; ++i) {
    if (thread.contexts[i] != context) thread.contexts[kept++] = thread.contexts[i];
  }
  thread.context_count = kept;
}

}  // namespace

Context* CurrentContext() {
  const ThreadState& thread = Thread();
  if (thread.context_count == 0) return nullptr;
  Context* top = thread.contexts[thread.context_count - 1];
  return top != nullptr && top->magic == Context::kMagic ? top : nullptr;
}

void SetCurrentContext(Context* context) {
  ThreadState& thread = Thread();
  if (thread.context_count == 0) thread.context_count = 1;
  thread.contexts[thread.context_count - 1] = context;
  if (context == nullptr) --thread.context_count;
}

bool PushContext(Context* context) {
  ThreadState& thread = Thread();
  if (thread.context_count == ThreadState::kMaxContexts) return false;
  thread.contexts[thread.context_count++] = context;
  return true;
}

Context* PopContext() {
  ThreadState& thread = Thread();
  return thread.context_count == 0 ? nullptr : thread.contexts[--thread.context_count];
}

Context* CreateContext(int device, unsigned flags) {
  auto* context = new Context;
  context->device = device;
  context->flags = flags;
  context->legacy = NewStreamObject(context, kLegacyStreamId);
  context->legacy->legacy = true;
  {
    std::lock_guard lock(All().mutex);
    context->uid = All().next_uid++;
    All().alive.push_back(context);
  }
  ResourceEvent(SIMGPU_CONTEXT_CREATED, context).Send();
  return context;
}

void DestroyContext(Context* context) {
  TheTimeline().WaitContext(context);
  ResourceEvent(SIMGPU_CONTEXT_DESTROY_STARTING, context).Send();
  std::vector<Stream*> streams;
  {
    std::lock_guard lock(context->mutex);
    streams = context->streams;
  }
  for (Stream* stream : streams) DestroyStream(stream);
  std::lock_guard lock(All().mutex);
  std::erase(All().alive, context);
  context->magic = 0;
  DropFromThread(context);
}

Context* RetainPrimary(int device) {
  {
    std::lock_guard lock(All().mutex);
    if (Context* context = All().primary[static_cast<size_t>(device)]) {
      ++context->references;
      return context;
    }
  }
  Context* fresh = CreateContext(device, PrimaryFlags(device));
  fresh->primary = true;
  fresh->references = 1;
  std::lock_guard lock(All().mutex);
  All().primary[static_cast<size_t>(device)] = fresh;
  return fresh;
}

bool ReleasePrimary(int device, bool reset) {
  Context* context = nullptr;
  {
    std::lock_guard lock(All().mutex);
    context = All().primary[static_cast<size_t>(device)];
    if (context == nullptr) return false;
    if (!reset && --context->references > 0) return true;
    All().primary[static_cast<size_t>(device)] = nullptr;
  }
  DestroyContext(context);
  return true;
}

bool PrimaryActive(int device) {
  std::lock_guard lock(All().mutex);
  return All().primary[static_cast<size_t>(device)] != nullptr;
}

void SetPrimaryFlags(int device, unsigned flags) {
  std::lock_guard lock(All().mutex);
  All().primary_flags[static_cast<size_t>(device)] = flags;
}

unsigned PrimaryFlags(int device) {
  std::lock_guard lock(All().mutex);
  return All().primary_flags[static_cast<size_t>(device)];
}

std::vector<Context*> AllContexts() {
  std::lock_guard lock(All().mutex);
  return All().alive;
}

Context* ContextFrom(CUcontext handle) {
  auto* context = reinterpret_cast<Context*>(handle);
  return context != nullptr && context->magic == Context::kMagic ? context : nullptr;
}

}  // namespace simgpu
