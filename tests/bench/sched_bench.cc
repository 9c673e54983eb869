// What watching threads costs: the worker a look (goal P7: against one pread of schedstat), and the host a context
// switch. Everything of one kind is measured in turn with what it is compared with, the median of many turns counts.
//
// usage: sched_bench [--turns=N]
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "capture/task_file.h"
#include "sched/watched_thread.h"

namespace slowtoken::sched {
namespace {

using base::TimeNs;

TimeNs CpuNow() { return base::ReadClock(CLOCK_THREAD_CPUTIME_ID); }
TimeNs ProcessCpuNow() { return base::ReadClock(CLOCK_PROCESS_CPUTIME_ID); }

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void Pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Two threads on one CPU that wake each other through pipes: every read is a context switch.
class PingPong {
 public:
  explicit PingPong(int cpu) {
    if (pipe2(there_, O_CLOEXEC) != 0 || pipe2(back_, O_CLOEXEC) != 0) abort();
    one_ = std::thread([this, cpu] {
      Pin(cpu);
      first_ = static_cast<record::ThreadId>(gettid());
      for (char c; read(there_[0], &c, 1) == 1;) Pass(back_[1], c);
    });
    while (first_ == 0) usleep(100);
  }
  ~PingPong() {
    close(there_[1]);
    one_.join();
  }
  record::ThreadId other() const { return first_; }

  // CPU time of both threads, ns a switch of the other thread (it goes off and comes back once a round trip).
  double Run(int round_trips) {
    const TimeNs before = ProcessCpuNow();
    char c = 0;
    for (int i = 0; i < round_trips; ++i) {
      Pass(there_[1], c);
      if (read(back_[0], &c, 1) != 1) abort();
    }
    return static_cast<double>(ProcessCpuNow() - before) / round_trips;
  }

 private:
  static void Pass(int fd, char c) {
    if (write(fd, &c, 1) != 1) abort();
  }
  int there_[2], back_[2];
  std::atomic<record::ThreadId> first_{0};
  std::thread one_;
};

class Discard final : public record::EventVisitor {};

struct Bench {
  Discard out;
  base::LossCounters losses;
  PendingSamples pending;
  WatchContext context{out, losses, pending};
};

// Of a thread that sleeps and wakes `switches` times between two looks, against a pread of its schedstat.
void MeasureLook(int turns, int switches) {
  Bench bench;
  PingPong pair(sched_getcpu());
  WatchedThread watched;
  if (!watched.Begin(pair.other(), base::MonotonicNow(), bench.context) || !watched.has_ring()) {
    printf("look: no perf events here (error %d)\n", watched.ring_error());
    return;
  }
  capture::TaskPath path;
  capture::MakeTaskPath(pair.other(), "schedstat", path);
  const int schedstat = open(path, O_RDONLY | O_CLOEXEC);
  base::KeptDescriptor kept;
  kept.Open(path, O_RDONLY);
  std::vector<double> looks, preads, checked, ratios;
  char text[96];
  for (int turn = 0; turn < turns; ++turn) {
    pair.Run(switches);
    const TimeNs a = CpuNow();
    watched.Look(base::MonotonicNow() - 1000, bench.context);
    const TimeNs b = CpuNow();
    if (pread(schedstat, text, sizeof text, 0) <= 0) abort();
    const TimeNs c = CpuNow();
    if (!kept.Ours() || pread(kept.get(), text, sizeof text, 0) <= 0) abort();
    const TimeNs d = CpuNow();
    const TimeNs clock = CpuNow() - d;  // in each of the three
    looks.push_back(static_cast<double>(b - a) - static_cast<double>(clock));
    preads.push_back(static_cast<double>(c - b) - static_cast<double>(clock));
    checked.push_back(static_cast<double>(d - c) - static_cast<double>(clock));
  }
  const double look = Median(looks), one = Median(preads), with_check = Median(checked);
  printf(
      "look, %d switches a look: %.0f ns; one pread of schedstat %.0f ns, with the check of the descriptor %.0f ns; "
      "look / pread %.2f, look / checked pread %.2f\n",
      2 * switches, look, one, with_check, look / one, look / with_check);
  watched.End();
  close(schedstat);
}

// The same round trips with the thread watched and not, in turns.
void MeasureSwitch(int turns) {
  constexpr int kRoundTrips = 500;  // fits the ring
  Bench bench;
  Pin(sched_getcpu());
  PingPong pair(sched_getcpu());
  std::vector<double> without, with;
  for (int turn = 0; turn < turns; ++turn) {
    pair.Run(20);
    without.push_back(pair.Run(kRoundTrips));
    WatchedThread watched;
    if (!watched.Begin(pair.other(), base::MonotonicNow(), bench.context) || !watched.has_ring()) {
      printf("switch: no perf events here (error %d)\n", watched.ring_error());
      return;
    }
    pair.Run(20);
    with.push_back(pair.Run(kRoundTrips));
    watched.End();
  }
  printf(
      "switch: a round trip over two pipes on one CPU %.0f ns unwatched, %.0f ns with one of the two watched: %.0f ns "
      "each time a watched thread goes off the CPU and comes back\n",
      Median(without), Median(with), Median(with) - Median(without));
}

}  // namespace
}  // namespace slowtoken::sched

int main(int argc, char** argv) {
  int turns = 300;
  if (argc > 1 && strncmp(argv[1], "--turns=", 8) == 0) turns = atoi(argv[1] + 8);
  for (const int switches : {1, 10, 100}) slowtoken::sched::MeasureLook(turns, switches);
  slowtoken::sched::MeasureSwitch(turns);
  return 0;
}
