#include "server/jitter_probe.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "absl/strings/str_cat.h"

namespace slowtoken::demo {
namespace {

constexpr TimeNs kPeriod = 1'000'000;
constexpr TimeNs kLost = 1'000'000;

// A thread whose runnable-but-not-running time is read. `fd` is its schedstat.
struct Watched {
  std::string name;
  int fd;
  int64_t waited_ns = -1;  // at the last look
  TimeNs looked = 0;
};

std::mutex watched_mutex;
std::vector<Watched>& WatchedThreads() {
  static auto* threads = new std::vector<Watched>;  // threads may outlive static destruction
  return *threads;
}

void SleepUntil(TimeNs deadline) {
  const timespec at{deadline / 1'000'000'000, deadline % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
}

// Second number of schedstat: nanoseconds spent waiting on a run queue. -1 if it cannot be read.
int64_t WaitedNs(int fd) {
  char text[96];
  const ssize_t size = pread(fd, text, sizeof text - 1, 0);
  if (size <= 0) return -1;
  text[size] = '\0';
  char* second = nullptr;
  strtoll(text, &second, 10);
  return strtoll(second, nullptr, 10);
}

}  // namespace

void JitterProbe::Watch(const std::string& name) {
  const int fd = open(absl::StrCat("/proc/self/task/", gettid(), "/schedstat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;  // a kernel without it: the per-CPU probes remain
  const std::lock_guard lock(watched_mutex);
  WatchedThreads().push_back({name, fd});
}

void JitterProbe::Late(TruthFile& truth, const std::string& name, TimeNs due) {
  const TimeNs now = NowNs();
  if (due > 0 && now - due > kLost) truth.Add(JitterJson({due, now}, name, now - due));
}

JitterProbe::JitterProbe(TruthFile& truth) : truth_(truth) {
  if (truth.enabled()) thread_ = std::thread([this] { Run(); });
}

JitterProbe::~JitterProbe() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void JitterProbe::Run() {
  pthread_setname_np(pthread_self(), "jitter");
  prctl(PR_SET_TIMERSLACK, 1);  // sleeps end on time
  for (TimeNs deadline = NowNs() + kPeriod; !stop_;) {
    SleepUntil(deadline);
    Late(truth_, "probe", deadline);
    const std::lock_guard lock(watched_mutex);
    for (Watched& thread : WatchedThreads()) {
      const int64_t waited = WaitedNs(thread.fd);
      const TimeNs now = NowNs();
      const int64_t lost = thread.waited_ns < 0 ? 0 : waited - thread.waited_ns;
      // The kernel counts a wait when it ends, so this one may have begun up to its own length before the last look.
      if (lost > kLost) truth_.Add(JitterJson({thread.looked - lost, now}, thread.name, lost));
      thread.waited_ns = waited;
      thread.looked = now;
    }
    deadline = std::max(deadline + kPeriod, NowNs());
  }
}

}  // namespace slowtoken::demo
