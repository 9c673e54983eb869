// What CUPTI's two buffer call-backs cost the host thread that CUPTI calls them on. Goal P3: at most 200 ns for request
// and complete together, no page fault, no allocation. Times are CPU time of the thread; the worker's part is off the
// clock.
//   pool_bench            the figures
//   pool_bench --check    exit code 1 if a page was faulted in or memory was asked for
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "cupti/cupti_source.h"
#include "driven_cupti.h"

namespace {

long g_allocations = 0;

}  // namespace

// In front of libc's, for the whole program.
extern "C" void* __libc_malloc(size_t);
extern "C" void* malloc(size_t size) {
  ++g_allocations;
  return __libc_malloc(size);
}

namespace slowtoken::bench {
namespace {

constexpr int kAtOnce = 24;

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
    for (int i = 0; i < 8; ++i) Turn(), Collect();
  }

  // As many buffers as CUPTI may hold at once, all requested and all completed.
  void Turn() {
    uint8_t* data[kAtOnce] = {};
    size_t size = 0, most = 0;
    for (uint8_t*& buffer : data) g_request(&buffer, &size, &most);
    for (uint8_t* buffer : data) g_complete(nullptr, 0, buffer, size, 0);
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
    host->Turn();
    const uint64_t turn = base::ReadClock(CLOCK_THREAD_CPUTIME_ID) - start;
    spent += turn;
    state.SetIterationTime(static_cast<double>(turn) * 1e-9);
    host->Collect();
  }
  state.counters["ns_buffer"] = static_cast<double>(spent) / (static_cast<double>(state.iterations()) * kAtOnce);
  state.counters["refused"] = static_cast<double>(host->refused());
}
BENCHMARK(BM_RequestAndComplete)->UseManualTime();

int Check() {
  auto host = std::make_unique<Host>();
  long faults = 0, allocations = 0;
  for (int i = 0; i < 1000; ++i) {
    const long faults_before = Faults(), allocations_before = g_allocations;
    host->Turn();
    allocations += g_allocations - allocations_before;
    faults += Faults() - faults_before;
    host->Collect();
  }
  std::printf("%d buffers: %ld page faults, %ld allocations, %llu refused\n", 1000 * kAtOnce, faults, allocations,
              static_cast<unsigned long long>(host->refused()));
  return faults == 0 && allocations == 0 && host->refused() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace slowtoken::bench

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--check") == 0) return slowtoken::bench::Check();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
