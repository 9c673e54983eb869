// BusyThread: a thread that does what a test orders and measures itself: when it began, when it was through, and the
// CPU time it had in between by its own CPU clock. What the profiler says is compared with that. For tests.
#pragma once

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "record/ids.h"

namespace slowtoken::sched {

inline uint64_t ThreadCpuNow() { return base::ReadClock(CLOCK_THREAD_CPUTIME_ID); }

// Runs until it has used `ns` of CPU time.
inline void UseCpu(uint64_t ns) {
  const uint64_t until = ThreadCpuNow() + ns;
  while (ThreadCpuNow() < until) {
  }
}

inline void SleepFor(uint64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

// The calling thread stays on this CPU. False where that is forbidden.
inline bool PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// The first CPU from `from` on that this thread may run on; -1: none.
inline int NextCpu(int from) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  for (int cpu = from; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) return cpu;
  }
  return -1;
}

// One it may run on, and another.
inline int AnyCpu() { return NextCpu(0); }
inline int AnotherCpu() { return NextCpu(AnyCpu() + 1); }

class BusyThread {
 public:
  BusyThread() {
    std::promise<record::ThreadId> id;
    std::future<record::ThreadId> told = id.get_future();
    thread_ = std::thread([this, &id] {
      id.set_value(static_cast<record::ThreadId>(gettid()));
      for (std::function<void()> order = Next(); order; order = Next()) order();
    });
    id_ = told.get();
  }
  ~BusyThread() {
    Give({});
    thread_.join();
    // Join returns a moment before the thread has left /proc.
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u", id_);
    while (access(path, F_OK) == 0) usleep(100);
  }

  record::ThreadId id() const { return id_; }

  // What the thread says of itself while it did `work`.
  struct Own {
    uint64_t start = 0, end = 0;
    uint64_t ran = 0;
    uint64_t length() const { return end - start; }
  };
  std::future<Own> Start(std::function<void()> work) {
    auto done = std::make_shared<std::promise<Own>>();
    std::future<Own> result = done->get_future();
    Give([done, work = std::move(work)] {
      Own own;
      own.start = base::MonotonicNow();
      const uint64_t before = ThreadCpuNow();
      work();
      own.ran = ThreadCpuNow() - before;
      own.end = base::MonotonicNow();
      done->set_value(own);
    });
    return result;
  }
  Own Do(std::function<void()> work) { return Start(std::move(work)).get(); }
  // Returns when the thread waits for its next order; the CPU time it used.
  uint64_t Spin(uint64_t ns) {
    const uint64_t ran = Do([ns] { UseCpu(ns); }).ran;
    usleep(1000);
    return ran;
  }

 private:
  // An empty order ends the thread.
  void Give(std::function<void()> order) {
    const std::lock_guard lock(mutex_);
    next_ = std::move(order);
    given_.notify_one();
  }
  std::function<void()> Next() {
    std::unique_lock lock(mutex_);
    given_.wait(lock, [this] { return next_.has_value(); });
    std::function<void()> order = std::move(*next_);
    next_.reset();
    return order;
  }

  std::mutex mutex_;
  std::condition_variable given_;
  std::optional<std::function<void()>> next_;
  std::thread thread_;
  record::ThreadId id_ = 0;
};

}  // namespace slowtoken::sched
