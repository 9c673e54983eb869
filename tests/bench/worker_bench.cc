// The worker's way: activity buffer -> decoded -> attribution + encoded chunk, per kernel, against the least anyone can
// do with a buffer (cuptiActivityGetNextRecord and reading all fields). CPU time of the thread, buffers copied outside
// of it. What the limit costs hangs on the machine: 64 MiB cycled cold took 33 ns a kernel on a Zen 3, where reading is
// waiting for memory, and takes 8 to 11 ns on a Zen 4, whose prefetcher hides it.
//   worker_bench                             the figures, with ratios to the limit
//   worker_bench encode|all graph|eager N    N passes for callgrind (tests/bench/instructions.py)
//   worker_bench growth N                    N passes; exit code 1 if memory grew
#include <benchmark/benchmark.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "attribution/engine.h"
#include "capture/fanout.h"
#include "cupti/cupti_source.h"
#include "driven_cupti.h"
#include "trace/chunk_encoder.h"
#include "trace/file_sink.h"

namespace slowtoken::bench {
namespace {

constexpr size_t kBufferBytes = 256 * 1024;

// Activity buffers come from another thread and long ago: both sides start with cold caches, as after 64 MiB of other
// use.
void EvictCaches() {
  static std::vector<uint8_t> other(64u << 20);
  for (size_t i = 0; i < other.size(); i += 64) ++other[i];
}

uint64_t ThreadCpu() { return base::ReadClock(CLOCK_THREAD_CPUTIME_ID); }

// Takes every frame and counts its bytes; writes them to a file as well if it is given one.
class CountingSink : public trace::Sink {
 public:
  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override {
    bytes_ += header.size() + payload.size();
    return file_ == nullptr || file_->Write(header, payload);
  }
  void WriteTo(trace::FileSink& file) { file_ = &file; }
  uint64_t bytes() const { return bytes_; }

 private:
  trace::FileSink* file_ = nullptr;
  uint64_t bytes_ = 0;
};

// Everything behind the buffers, as capture/pipeline puts it together.
class Bench {
 public:
  explicit Bench(bool with_attribution, bool cold = true) : with_attribution_(with_attribution), cold_(cold) {
    arena_.Reserve(96u << 20, true);
    dictionary_.Init(arena_, {}, losses_);
    encoder_.Init(arena_, dictionary_, losses_, sink_, {}, {});
    filter_.Init(encoder_, encoder_, nullptr, losses_);
    engine_.Init(arena_, attribution::EngineConfig::InProcess(), dictionary_, losses_, filter_);
    batches_.Init(arena_);
    fanout_.Init(engine_, filter_, batches_);
    // The stream's own time: CUPTI's clock is CLOCK_MONOTONIC, and it is as late as the records say.
    record::ClockSnapshot clock;
    clock.monotonic = clock.realtime = clock.cupti = KernelStream::kBegin;
    clock_.AddSnapshot(clock);
    options_.buffer_bytes = kBufferBytes;
    options_.buffer_count = 96;
    options_.api = &api_;
    source_.Init(arena_, losses_, options_);
    source_.Start();
  }

  // Hands records over as CUPTI would, from `record` on, until the pool is empty; the annotations of their iterations
  // go to attribution. Returns the next record. Not timed.
  size_t Load(const CuptiBuffers& stream, size_t record) {
    const size_t first = record;
    for (int lent = 0; lent < 90 && record < stream.records(); ++lent) {
      uint8_t* data = nullptr;
      size_t size = 0, most = 0;
      g_request(&data, &size, &most);
      if (data == nullptr) break;
      const size_t from = record;
      while (record < stream.records() && stream.offsets()[record + 1] - stream.offsets()[from] <= size) ++record;
      const size_t used = stream.offsets()[record] - stream.offsets()[from];
      memcpy(data, stream.bytes().data() + stream.offsets()[from], used);
      for (size_t i = from; i < record; ++i) MoveOn(data + stream.offsets()[i] - stream.offsets()[from]);
      g_complete(nullptr, 0, data, size, used);
    }
    if (with_attribution_) Annotate(stream, first, record);
    return record;
  }

  // The whole stream once; the CPU time spent in TimedCollect.
  uint64_t Pass(const CuptiBuffers& stream) {
    uint64_t spent = 0;
    end_ = stream.end() + shift_ns_;
    for (size_t record = 0; record < stream.records();) {
      record = Load(stream, record);
      if (cold_) EvictCaches();
      const uint64_t start = ThreadCpu();
      TimedCollect(record == stream.records());
      spent += ThreadCpu() - start;
    }
    shift_ns_ = end_ + 1'000'000 - KernelStream::kBegin;
    shift_ids_ += static_cast<uint32_t>(stream.kernels()) + 1000;
    return spent;
  }

  // A chunk is written once a pass (136,200 kernels), or when the encoder's budget for one is used up.
  __attribute__((noinline)) void TimedCollect(bool conclude) {
    record::EventVisitor& out = with_attribution_ ? static_cast<record::EventVisitor&>(fanout_) : encoder_;
    capture::CollectContext context{dictionary_, losses_, clock_, out};
    source_.Collect(context);
    if (!conclude) return;
    record::Advance advance;
    advance.watermark = advance.now = end_;
    if (with_attribution_) engine_.On(advance);
    encoder_.On(advance);
  }

  uint64_t kernels() const {
    record::CaptureTotals totals;
    source_.AddTotals(totals);
    return totals.kernels;
  }
  uint64_t bytes() const { return sink_.bytes(); }
  size_t memory() const { return arena_.used(); }
  void WriteTo(trace::FileSink& file) { sink_.WriteTo(file); }
  const base::LossCounters& losses() const { return losses_; }

 private:
  // Each pass comes after the one before, with ids of its own.
  void MoveOn(uint8_t* bytes) const {
    if (reinterpret_cast<const CUpti_Activity*>(bytes)->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      auto& kernel = *reinterpret_cast<CUpti_ActivityKernel10*>(bytes);
      kernel.start += shift_ns_;
      kernel.end += shift_ns_;
      kernel.correlationId += shift_ids_;
    } else {
      auto& call = *reinterpret_cast<CUpti_ActivityAPI*>(bytes);
      call.start += shift_ns_;
      call.end += shift_ns_;
      call.correlationId += shift_ids_;
    }
  }

  // `iter` around the launches of each step that begins among these records.
  void Annotate(const CuptiBuffers& stream, size_t first, size_t end) {
    for (const CuptiBuffers::Step& step : stream.steps()) {
      if (step.first_record < first || step.first_record >= end) continue;
      record::Annotation iter;
      iter.name = record::AnnotationName::kIter;
      iter.kind = record::AnnotationKind::kPushPop;
      iter.thread = iter.end_thread = 4711;
      iter.start = step.start + shift_ns_ - 100;
      iter.end = step.end + shift_ns_ + 100;
      iter.Set(record::AnnotationField::kIterNo, ++iterations_);
      fanout_.On(iter);
    }
  }

  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  uint64_t iterations_ = 0;
  CountingSink sink_;
  trace::ChunkEncoder encoder_;
  attribution::Engine engine_;
  attribution::LiveBatches batches_;
  capture::DetailFilter filter_;
  capture::Fanout fanout_;
  capture::ClockMap clock_;
  cupti::ApiTable api_ = DrivenCupti();
  cupti::Options options_;
  cupti::CuptiSource source_;
  bool with_attribution_;
  bool cold_;
  uint64_t shift_ns_ = 0;  // of this pass against the stream
  uint32_t shift_ids_ = 0;
  uint64_t end_ = 0;  // of this pass
};

const CuptiBuffers& Stream(bool graph) {
  static const CuptiBuffers graphs(true, 300);
  static const CuptiBuffers eager(false, 300);
  return graph ? graphs : eager;
}

// The limit: step through every record and read every field that has a meaning.
uint64_t ReadAll(std::vector<uint8_t>& records, GetNextRecord next) {
  uint64_t sum = 0;
  CUpti_Activity* record = nullptr;
  while (next(records.data(), records.size(), &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto& k = *reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      sum += k.start + k.end + k.correlationId + k.graphId + k.graphNodeId + k.deviceId + k.contextId + k.streamId +
             static_cast<uint64_t>(k.gridX + k.gridY + k.gridZ + k.blockX + k.blockY + k.blockZ) +
             k.registersPerThread + static_cast<uint64_t>(k.staticSharedMemory + k.dynamicSharedMemory) +
             k.localMemoryPerThread + k.clusterX + k.clusterY + k.clusterZ + reinterpret_cast<uintptr_t>(k.name);
    } else {
      const auto& a = *reinterpret_cast<const CUpti_ActivityAPI*>(record);
      sum += a.start + a.end + a.correlationId + a.threadId + a.cbid + a.returnValue;
    }
  }
  return sum;
}

// CPU time of one reading of the stream. Over as many bytes as the pool lends at once, copied as Load does it: both
// find the records equally cold.
uint64_t LimitPass(const CuptiBuffers& stream) {
  static const GetNextRecord next = Stepper();
  static std::vector<uint8_t> records;
  constexpr size_t kRecordsAtOnce = 80'000;
  uint64_t spent = 0;
  for (size_t from = 0; from < stream.records(); from += kRecordsAtOnce) {
    const size_t to = std::min(from + kRecordsAtOnce, stream.records());
    records.assign(stream.bytes().begin() + static_cast<ptrdiff_t>(stream.offsets()[from]),
                   stream.bytes().begin() + static_cast<ptrdiff_t>(stream.offsets()[to]));
    EvictCaches();
    const uint64_t start = ThreadCpu();
    benchmark::DoNotOptimize(ReadAll(records, next));
    spent += ThreadCpu() - start;
  }
  return spent;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Limit and worker take turns, so that both see the same machine; medians of the passes.
void Run(benchmark::State& state, bool with_attribution) {
  const CuptiBuffers& stream = Stream(state.range(0) != 0);
  auto bench = std::make_unique<Bench>(with_attribution);
  bench->Pass(stream);  // names and shapes go out for the first time, the pool fits its buffers to the traffic
  const uint64_t first_bytes = bench->bytes(), first_kernels = bench->kernels();
  const auto kernels = static_cast<double>(stream.kernels());
  std::vector<double> ours, limits;
  for (auto _ : state) {
    limits.push_back(static_cast<double>(LimitPass(stream)) / kernels);
    const uint64_t spent = bench->Pass(stream);
    ours.push_back(static_cast<double>(spent) / kernels);
    state.SetIterationTime(static_cast<double>(spent) * 1e-9);
  }
  state.counters["ns_per_kernel"] = Median(ours);
  state.counters["limit_ns"] = Median(limits);
  state.counters["ratio_to_limit"] = Median(ours) / Median(limits);
  state.counters["bytes_per_kernel"] =
      static_cast<double>(bench->bytes() - first_bytes) / static_cast<double>(bench->kernels() - first_kernels);
}

void BM_BufferToChunk(benchmark::State& state) { Run(state, false); }
void BM_WholeWorker(benchmark::State& state) { Run(state, true); }
BENCHMARK(BM_BufferToChunk)
    ->ArgName("graph")
    ->Arg(1)
    ->Arg(0)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);
BENCHMARK(BM_WholeWorker)->ArgName("graph")->Arg(1)->Arg(0)->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(1);

// The worker with attribution and a file on a memory file system behind it: how many kernels a second it takes on one
// core, all of them kept. Goal: 1 million.
void BM_WorkerToFile(benchmark::State& state) {
  const CuptiBuffers& stream = Stream(state.range(0) != 0);
  char path[] = "/dev/shm/slowtoken_bench_XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) return state.SkipWithError("no file in /dev/shm");
  close(fd);
  unlink(path);
  trace::FileSink file;
  if (file.OpenPath(path) != 0) return state.SkipWithError("the sink cannot open its file");
  auto bench = std::make_unique<Bench>(true);
  bench->WriteTo(file);
  bench->Pass(stream);
  const uint64_t first_kernels = bench->kernels();
  uint64_t spent = 0;
  for (auto _ : state) {
    const uint64_t pass = bench->Pass(stream);
    spent += pass;
    state.SetIterationTime(static_cast<double>(pass) * 1e-9);
  }
  unlink(path);
  state.counters["kernels_per_s"] =
      static_cast<double>(bench->kernels() - first_kernels) / (static_cast<double>(spent) * 1e-9);
  // Of the trace: nothing may be. And everything else, by its cause.
  state.counters["lost"] = static_cast<double>(bench->losses().Get(base::Loss::kChunkWriteFailed));
  for (size_t i = 0; i < base::kLossCount; ++i) {
    const uint64_t lost = bench->losses().Get(static_cast<base::Loss>(i));
    if (lost != 0) state.counters[std::string("lost_") + base::kLossNames[i]] = static_cast<double>(lost);
  }
}
BENCHMARK(BM_WorkerToFile)
    ->ArgName("graph")
    ->Arg(1)
    ->Arg(0)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20);

uint64_t ResidentBytes() {
  unsigned long long total = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == nullptr || fscanf(file, "%llu %llu", &total, &resident) != 2) resident = 0;
  if (file != nullptr) fclose(file);
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Goal P8: memory does not grow with kernels. Exit code 1 if it does; a few pages may come and go by themselves.
int Growth(int passes) {
  constexpr int kWarmUp = 8;
  constexpr uint64_t kNoise = 256 << 10;
  const CuptiBuffers& stream = Stream(true);
  Bench bench(true, /*cold=*/false);
  for (int i = 0; i < kWarmUp; ++i) bench.Pass(stream);
  const uint64_t resident = ResidentBytes(), kernels = bench.kernels();
  const size_t memory = bench.memory();
  for (int i = 0; i < passes; ++i) bench.Pass(stream);
  const uint64_t now = ResidentBytes();
  std::printf("%llu kernels: resident %+lld bytes, of the cap %+lld bytes\n",
              static_cast<unsigned long long>(bench.kernels() - kernels), static_cast<long long>(now - resident),
              static_cast<long long>(bench.memory() - memory));
  return now <= resident + kNoise && bench.memory() == memory ? 0 : 1;
}

// For callgrind: a number of passes, all inside TimedCollect. Two runs of different length give the cost of a kernel
// once everything is warm.
int Count(bool with_attribution, bool graph, int passes) {
  const CuptiBuffers& stream = Stream(graph);
  Bench bench(with_attribution);
  for (int i = 0; i < passes; ++i) bench.Pass(stream);
  std::printf("kernels %llu\nbytes %llu\n", static_cast<unsigned long long>(bench.kernels()),
              static_cast<unsigned long long>(bench.bytes()));
  return bench.kernels() == stream.kernels() * static_cast<size_t>(passes) ? 0 : 1;
}

}  // namespace
}  // namespace slowtoken::bench

int main(int argc, char** argv) {
  if (argc == 4) return slowtoken::bench::Count(!strcmp(argv[1], "all"), !strcmp(argv[2], "graph"), atoi(argv[3]));
  if (argc == 3 && strcmp(argv[1], "growth") == 0) return slowtoken::bench::Growth(atoi(argv[2]));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
