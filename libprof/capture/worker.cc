#include "capture/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "capture/seccomp_filter.h"

namespace slowtoken::capture {
namespace {

// Only what is touched takes memory. CUPTI is flushed on this stack, and nobody knows how much it needs.
constexpr size_t kStackBytes = 1 << 20;
constexpr const char* kStat = "/proc/self/stat";

timespec ToTimespec(base::TimeNs t) {
  return {static_cast<time_t>(t / 1'000'000'000u), static_cast<long>(t % 1'000'000'000u)};
}

base::TimeNs InMilliseconds(uint32_t ms) { return base::MonotonicNow() + uint64_t{ms} * 1'000'000u; }

// The thread must not inherit a real-time policy from the host's thread that starts it: it would compete with it.
void AsOrdinaryThread(pthread_attr_t& attributes) {
  const int policy = sched_getscheduler(0);
  if (policy != SCHED_FIFO && policy != SCHED_RR) return;
  const sched_param none{};
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  pthread_attr_setschedparam(&attributes, &none);
}

// Behind the host's threads: it preempts none when it wakes up, and gives way when one does (SCHED_BATCH); of a CPU
// that it must share it takes a quarter at most (nice 5: 335 of 335 + 1024), which is ten times what it needs.
void StepBack() {
  if (sched_getscheduler(0) != SCHED_OTHER) return;  // a host of SCHED_IDLE or SCHED_BATCH stands further back already
  constexpr int kStep = 5, kMostNice = 19;
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
  setpriority(PRIO_PROCESS, 0, std::min(getpriority(PRIO_PROCESS, 0) + kStep, kMostNice));
}

}  // namespace

bool Worker::Start(const Job& job, uint32_t period_ms) {
  job_ = job;
  period_ms_ = period_ms;
  stop_asked_ = done_ = false;
  wake_asked_ = true;  // the first round comes at once
  stat_.Open(kStat, O_RDONLY);
  may_step_back_ = !UnderSeccompFilter();  // one may kill for what the thread would call
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  AsOrdinaryThread(attributes);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread inherits the mask: the host's handlers never run on it
  running_ = pthread_create(&thread_, &attributes, &Worker::Main, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return running_;
}

void* Worker::Main(void* self) {
  pthread_setname_np(pthread_self(), "slowtoken");
  if (static_cast<Worker*>(self)->may_step_back_) StepBack();
  static_cast<Worker*>(self)->Run();
  return nullptr;
}

void Worker::Run() {
  while (!WaitForNext() && !HostIsGone()) {
    const bool needed = job_.look != nullptr && job_.look(job_.self);
    if (!needed && base::MonotonicNow() < next_round_) continue;
    job_.round(job_.self);
    next_round_ = InMilliseconds(period_ms_);
  }
  job_.last_round(job_.self, deadline_ != 0 ? deadline_ : base::MonotonicNow());
  pthread_mutex_lock(&mutex_);
  done_ = true;
  pthread_cond_broadcast(&finished_);
  pthread_mutex_unlock(&mutex_);
}

bool Worker::WaitForNext() {
  const uint32_t wanted = job_.look_period_ms != nullptr ? job_.look_period_ms(job_.self) : 0;
  const base::TimeNs look = InMilliseconds(wanted != 0 && wanted < kLookMs ? wanted : kLookMs);
  const timespec next = ToTimespec(job_.look != nullptr && look < next_round_ ? look : next_round_);
  pthread_mutex_lock(&mutex_);
  while (!wake_asked_ && !stop_asked_) {
    if (pthread_cond_clockwait(&wake_, &mutex_, CLOCK_MONOTONIC, &next) == ETIMEDOUT) break;
  }
  if (wake_asked_) next_round_ = 0;
  wake_asked_ = false;
  const bool stop = stop_asked_;
  pthread_mutex_unlock(&mutex_);
  return stop;
}

// One look a second, 5 µs: /proc/self/stat shows the state of the main thread (field 3, Z once it has left) and the
// number of threads (field 20, it included). When this thread then returns, it is the last one and libc calls exit(0),
// as it would have done without us.
bool Worker::HostIsGone() {
  const base::TimeNs now = base::MonotonicNow();
  if (now < next_look_) return false;
  next_look_ = now + 1'000'000'000u;
  if (!stat_.Ours() && stat_.Open(kStat, O_RDONLY) != 0) return false;
  char text[1024];
  const ssize_t n = pread(stat_.get(), text, sizeof text - 1, 0);
  if (n <= 0) return false;
  text[n] = 0;
  const char* at = strrchr(text, ')');  // the program's name (field 2) may hold anything
  if (at == nullptr || at[1] != ' ' || at[2] != 'Z') return false;
  for (int field = 2; at != nullptr && field < 20; ++field) at = strchr(at + 1, ' ');
  return at != nullptr && strtol(at, nullptr, 10) <= 2;
}

void Worker::Wake() {
  pthread_mutex_lock(&mutex_);
  wake_asked_ = true;
  pthread_cond_signal(&wake_);
  pthread_mutex_unlock(&mutex_);
}

bool Worker::Stop(uint32_t limit_ms) {
  if (!running_) return true;
  const base::TimeNs limit = InMilliseconds(limit_ms);
  const timespec until = ToTimespec(limit);
  pthread_mutex_lock(&mutex_);
  deadline_ = limit;
  stop_asked_ = true;
  pthread_cond_signal(&wake_);
  while (!done_) {
    if (pthread_cond_clockwait(&finished_, &mutex_, CLOCK_MONOTONIC, &until) == ETIMEDOUT) break;
  }
  const bool done = done_;
  pthread_mutex_unlock(&mutex_);
  if (done) running_ = false;
  return done;
}

void Worker::ForgetInChild() {
  mutex_ = PTHREAD_MUTEX_INITIALIZER;
  wake_ = PTHREAD_COND_INITIALIZER;
  finished_ = PTHREAD_COND_INITIALIZER;
  running_ = false;
  stat_.Close();
}

}  // namespace slowtoken::capture
