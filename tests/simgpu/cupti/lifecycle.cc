#include "simgpu/cupti/lifecycle.h"

#include <cupti.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "simgpu/cupti/callbacks.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/delivery_lock.h"
#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/recorder.h"
#include "simgpu/cupti/violations.h"

namespace simgpu::cupti {
namespace {

std::atomic<bool> g_exit_began{false}, g_forked{false}, g_main_seen{false}, g_fatal_played{false};

bool IsMainThread() { return getpid() == gettid(); }

// main() runs inside libc's static __libc_start_call_main, which __libc_start_main calls; a constructor of the
// program runs inside __libc_start_main itself, one of a library inside the loader. So main has begun exactly when
// the frame below __libc_start_main's is another of libc's. A client without unwind tables cuts the stack short: then
// nothing is known against it.
bool MainIsOnStack() {
  std::array<void*, 256> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  Dl_info start{};
  if (dladdr(dlsym(RTLD_DEFAULT, "__libc_start_main"), &start) == 0) return true;
  for (int i = 1; i < count; ++i) {
    Dl_info outer{}, inner{};
    if (dladdr(frames[i], &outer) == 0 || outer.dli_saddr != start.dli_saddr) continue;
    return dladdr(frames[i - 1], &inner) != 0 && inner.dli_fbase == start.dli_fbase;
  }
  Dl_info outermost{}, loader{};
  const bool known =
      dladdr(frames[count - 1], &outermost) != 0 && dladdr(dlsym(RTLD_DEFAULT, "_r_debug"), &loader) != 0;
  return !known || outermost.dli_fbase != loader.dli_fbase;
}

bool MainHasBegun() {
  if (g_main_seen.load(std::memory_order_relaxed)) return true;
  // Another thread says nothing about main; whoever made it runs.
  if (!IsMainThread() || MainIsOnStack()) g_main_seen.store(true);
  return g_main_seen.load();
}

void OnExit() {
  g_exit_began.store(true);
  TheRecorder().Shutdown();
  PrintViolations();
}

// Loading registers the exit handler: handlers that a client registers later, as it must, run before it.
[[gnu::constructor]] void OnLoad() {
  std::atexit(OnExit);
  pthread_atfork(nullptr, nullptr, OnForkedChild);
}

}  // namespace

void CheckMoment(const char* function) {
  const FaultPlan& plan = Faults();
  if (plan.abort_in_child && g_forked.load()) Die("%s called in a forked child", function);
  if (plan.abort_after_exit && g_exit_began.load()) Die("%s called after exit handlers began", function);
  if (plan.abort_before_main && !MainHasBegun()) Die("%s called before main", function);
}

void OnForkedChild() {
  // A child of a parent that never used CUPTI starts afresh.
  if (ConnectedEngine() == nullptr || g_forked.exchange(true)) return;
  TheRecorder().Shutdown();  // no worker here, and no lock is known to be free
  DeliveryLock::AfterFork();
}

bool InForkedChild() { return g_forked.load(std::memory_order_relaxed); }

void PlayFatalError() {
  if (Faults().fatal_after < 0 || g_fatal_played.load(std::memory_order_relaxed)) return;
  if (static_cast<int64_t>(TheRecorder().written()) < Faults().fatal_after || g_fatal_played.exchange(true)) return;
  CUpti_StateData data{};
  data.notification.result = CUPTI_ERROR_UNKNOWN;
  data.notification.message = "simulated fatal error";
  Dispatch(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data, "a fatal error", false);
  Detach();
}

void Detach() {
  DisableAllKinds();
  DropSubscriber();
  TheRecorder().Abandon();
}

}  // namespace simgpu::cupti
