// What CUPTI's two buffer call-backs cost the host thread that CUPTI calls them on. Goal P3: at most 200 ns for request
// and complete together, no page fault, no allocation. Times are CPU time of the thread; the worker's part is off the
// clock.
//   pool_bench            the figures
//   pool_bench --check    two threads in the call-backs while the worker collects; exit code 1 if one of them asked for
//                         memory, locked, entered the kernel, faulted in a page or changed errno; 77 without seccomp
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "cupti/cupti_source.h"
#include "driven_cupti.h"
#include "watched_threads.h"

namespace slowtoken::bench {
namespace {

constexpr int kAtOnce = 24;  // of the pool's 32 buffers

class Nobody final : public record::EventVisitor {};

class Host {
 public:
  Host() {
    arena_.Reserve(48u << 20, true);
    dictionary_.Init(arena_, {}, losses_);
    clock_.AddSnapshot(capture::ClockMap::Take(nullptr));
    options_.api = &api_;
    source_.Init(arena_, losses_, options_);
    source_.Start();
    for (int i = 0; i < 8; ++i) Turn(kAtOnce), Collect();
  }

  // So many buffers (at most kAtOnce), all requested and all completed.
  static void Turn(int buffers) {
    uint8_t* data[kAtOnce] = {};
    size_t size = 0, most = 0;
    for (int i = 0; i < buffers; ++i) g_request(&data[i], &size, &most);
    for (int i = 0; i < buffers; ++i) g_complete(nullptr, 0, data[i], size, 0);
  }

  // The worker takes them back.
  void Collect() {
    capture::CollectContext context{dictionary_, losses_, clock_, out_};
    source_.Collect(context);
  }

  uint64_t refused() const { return losses_.Get(base::Loss::kNoActivityBuffer); }

 private:
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  capture::ClockMap clock_;
  Nobody out_;
  cupti::ApiTable api_ = DrivenCupti();
  cupti::Options options_;
  cupti::CuptiSource source_;
};

long Faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

void BM_RequestAndComplete(benchmark::State& state) {
  auto host = std::make_unique<Host>();
  uint64_t spent = 0;
  for (auto _ : state) {
    const uint64_t start = base::ReadClock(CLOCK_THREAD_CPUTIME_ID);
    Host::Turn(kAtOnce);
    const uint64_t turn = base::ReadClock(CLOCK_THREAD_CPUTIME_ID) - start;
    spent += turn;
    state.SetIterationTime(static_cast<double>(turn) * 1e-9);
    host->Collect();
  }
  state.counters["ns_buffer"] = static_cast<double>(spent) / (static_cast<double>(state.iterations()) * kAtOnce);
  state.counters["refused"] = static_cast<double>(host->refused());
}
BENCHMARK(BM_RequestAndComplete)->UseManualTime();

// A thread of the host that CUPTI calls back on, a few turns ahead of the worker at most: the pool never runs dry.
class CalledThread {
 public:
  static constexpr int kBuffers = 4;  // a turn; of two threads with three turns each all find room
  static constexpr int kTurns = 2000;

  void Start() {
    std::thread([this] { Run(); }).detach();
  }

  // The worker: what was done before `Collect` is collected after it.
  int done() const { return done_; }
  void SetCollected(int turns) { collected_ = turns; }

  bool finished() const { return finished_; }
  bool trapped() const { return trapped_; }
  bool kept_errno() const { return kept_errno_; }
  long faults() const { return faults_; }

 private:
  void Run() {
    Turns(kTurns / 10);  // until everything has been touched
    trapped_ = watch::TrapSystemCalls();
    const long before = Faults();
    errno = kErrno;
    {
      const watch::Watch watched;
      Turns(kTurns);
    }
    kept_errno_ = errno == kErrno;
    faults_ = Faults() - before;
    finished_ = true;
    for (;;) watch::Yield();
  }

  void Turns(int turns) {
    for (int i = 0; i < turns; ++i) {
      while (done_ - collected_ > 1) watch::Yield();
      Host::Turn(kBuffers);
      ++done_;
    }
  }

  static constexpr int kErrno = 4711;
  std::atomic<int> done_{0}, collected_{0};
  std::atomic<bool> finished_{false};
  bool trapped_ = false, kept_errno_ = false;
  long faults_ = 0;
};

[[noreturn]] void Check() {
  Host host;
  CalledThread threads[2];
  for (CalledThread& thread : threads) thread.Start();
  while (!threads[0].finished() || !threads[1].finished()) {
    const int done[] = {threads[0].done(), threads[1].done()};
    host.Collect();
    for (int i = 0; i < 2; ++i) threads[i].SetCollected(done[i]);
  }
  const watch::ForbiddenCalls calls = watch::CallsWhileWatched();
  const long faults = threads[0].faults() + threads[1].faults();
  const bool kept_errno = threads[0].kept_errno() && threads[1].kept_errno();
  std::printf(
      "%d buffers on 2 threads: %ld allocations, %ld locks, %ld system calls (first: %ld), %ld page faults, errno %s, "
      "%llu refused\n",
      2 * CalledThread::kTurns * CalledThread::kBuffers, calls.allocations, calls.locks, calls.system_calls,
      calls.first_system_call, faults, kept_errno ? "kept" : "changed",
      static_cast<unsigned long long>(host.refused()));
  const bool trapped = threads[0].trapped() && threads[1].trapped();
  if (!trapped) std::puts("no seccomp here: system calls were not watched");
  std::fflush(stdout);
  const bool clean = calls.allocations + calls.locks + calls.system_calls + faults == 0 && kept_errno;
  _exit(!clean || host.refused() != 0 ? 1 : trapped ? 0 : 77);  // the threads are still there
}

}  // namespace
}  // namespace slowtoken::bench

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--check") == 0) slowtoken::bench::Check();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
