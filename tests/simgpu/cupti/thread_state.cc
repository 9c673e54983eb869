#include "simgpu/cupti/thread_state.h"

#include <pthread.h>
#include <unistd.h>

#include <memory>
#include <mutex>

#include "simgpu/cupti/recorder.h"

namespace simgpu::cupti {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::shared_ptr<ThreadState>> threads;
};

Registry& TheRegistry() {
  static Registry* registry = new Registry;
  return *registry;
}

// Ends the calling thread's state with the thread. The main thread's ends before atexit handlers run; a handler that
// calls CUPTI gets a fresh state, which is why the pointer is cleared.
struct Holder {
  ThreadState* state = nullptr;
  ~Holder() {
    if (state == nullptr) return;
    TheRecorder().ReleaseQueue(state->queue);
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    std::erase_if(registry.threads, [this](const auto& thread) { return thread.get() == state; });
    state = nullptr;
  }
};

thread_local Holder t_holder;

ThreadState* Create() {
  auto state = std::make_shared<ThreadState>();
  state->pthread_id = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pthread_self()));
  state->system_id = static_cast<uint32_t>(gettid());
  state->queue = TheRecorder().AcquireQueue();
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  registry.threads.push_back(state);
  return state.get();
}

}  // namespace

ThreadState& ThisThread() {
  if (t_holder.state == nullptr) t_holder.state = Create();
  return *t_holder.state;
}

void ForEachOtherThread(void (*use)(ThreadState& other, void* user), void* user) {
  ThreadState* self = t_holder.state;
  std::vector<std::shared_ptr<ThreadState>> threads;
  {
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    threads = registry.threads;
  }
  for (const auto& thread : threads) {
    if (thread.get() != self) use(*thread, user);
  }
}

}  // namespace simgpu::cupti
