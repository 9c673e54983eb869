// Worker: the one thread of ours in the host's process. It runs a round at start, one every flush period, and one last
// round at stop.
// Start and Stop are called by the session, on host threads (a door, the exit hook); Wake by any thread.
// The thread blocks every signal, never has a real-time priority, stands behind the host's threads where CPUs are short
// (SCHED_BATCH, nice + 5), and never holds the mutex while it works.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/kept_descriptor.h"
#include "base/time.h"

namespace slowtoken::capture {

class Worker {
 public:
  static constexpr uint32_t kLookMs = 250;

  // What the worker does. All are called on the worker thread only.
  struct Job {
    void (*round)(void* self) = nullptr;
    // The last round; nothing may take it past `deadline`.
    void (*last_round)(void* self, base::TimeNs deadline) = nullptr;
    void* self = nullptr;
    // Before each round, and between rounds that lie further apart than kLookMs, that often: for who cannot wait so
    // long. True: a round is needed now. May be absent.
    bool (*look)(void* self) = nullptr;
    // A period for `look` shorter than kLookMs, asked for each time; 0: none is wanted. May be absent.
    uint32_t (*look_period_ms)(void* self) = nullptr;
  };

  // Creates the thread. False if the system refuses; nothing is left behind then.
  bool Start(const Job& job, uint32_t period_ms);

  // Asks for a round now. Returns at once.
  void Wake();

  // Asks for the last round and waits for it, at most `limit_ms`. True if it was done in time.
  bool Stop(uint32_t limit_ms);

  // In a forked child the thread does not exist: forget it.
  void ForgetInChild();

  pthread_t thread() const { return thread_; }

 private:
  static void* Main(void* self);
  void Run();

  // Waits for the next look, a wake-up or a stop; true when the worker shall stop.
  bool WaitForNext();

  // True when every thread of the host has ended: main left by pthread_exit, and we alone keep the process alive.
  bool HostIsGone();

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t wake_ = PTHREAD_COND_INITIALIZER;
  pthread_cond_t finished_ = PTHREAD_COND_INITIALIZER;
  pthread_t thread_{};
  Job job_;
  uint32_t period_ms_ = 0;
  base::TimeNs deadline_ = 0;
  bool running_ = false;
  bool may_step_back_ = false;
  bool wake_asked_ = false;
  bool stop_asked_ = false;
  bool done_ = false;
  base::TimeNs next_round_ = 0;  // 0 = now
  base::TimeNs next_look_ = 0;
  base::KeptDescriptor stat_;  // /proc/self/stat, kept open: opening takes the lowest number, which a host may count on
};

}  // namespace slowtoken::capture
