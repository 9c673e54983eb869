#include "simgpu/core/device_thread.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>

#include "simgpu/core/clock.h"
#include "simgpu/core/timeline.h"

namespace simgpu {
namespace {

constexpr uint64_t kTickNs = 1'000'000;
constexpr int kIdleTicksBeforeParking = 100;

struct DeviceThread {
  std::mutex mutex;
  std::condition_variable wake;
  bool wanted = false;
  std::atomic<bool> started{false};
  std::atomic<bool> parked{true};
};

DeviceThread& The() {
  static DeviceThread* thread = new DeviceThread;
  return *thread;
}

void Sleep(DeviceThread& self, uint64_t nanoseconds) {
  std::unique_lock lock(self.mutex);
  self.wake.wait_for(lock, std::chrono::nanoseconds(nanoseconds), [&] { return self.wanted; });
  self.wanted = false;
}

void Park(DeviceThread& self) {
  std::unique_lock lock(self.mutex);
  self.parked.store(true, std::memory_order_seq_cst);
  // Submissions between the last look and the store above saw parked == false and woke nobody: look once more.
  if (TheTimeline().Outstanding() == 0) self.wake.wait(lock, [&] { return self.wanted; });
  self.wanted = false;
  self.parked.store(false, std::memory_order_seq_cst);
}

void* Run(void*) {
  pthread_setname_np(pthread_self(), "simgpu-device");
  DeviceThread& self = The();
  int idle = 0;
  for (;;) {
    uint64_t next = UINT64_MAX;
    TheTimeline().Pump();
    while (TheTimeline().RunHostStep(&next)) TheTimeline().Pump();
    idle = TheTimeline().Outstanding() == 0 ? idle + 1 : 0;
    if (idle > kIdleTicksBeforeParking) {
      Park(self);
      idle = 0;
      continue;
    }
    const uint64_t now = NowNs();
    const uint64_t until_next = next > now ? next - now : 0;
    Sleep(self, std::min(kTickNs, until_next));
  }
  return nullptr;
}

void Start(DeviceThread& self) {
  std::lock_guard lock(self.mutex);
  if (self.started.load()) return;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, Run, nullptr) == 0) {
    pthread_detach(thread);
    self.started.store(true);
    self.parked.store(false);
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

}  // namespace

void WakeDeviceThread() {
  DeviceThread& self = The();
  {
    std::lock_guard lock(self.mutex);
    self.wanted = true;
  }
  self.wake.notify_one();
}

void NoteSubmission(bool host_function) {
  DeviceThread& self = The();
  if (!self.started.load(std::memory_order_relaxed)) Start(self);
  if (host_function || self.parked.load(std::memory_order_seq_cst)) WakeDeviceThread();
}

void ResetDeviceThreadAfterFork() { new (&The()) DeviceThread; }

}  // namespace simgpu
