// Whether the flight ring keeps up: kernels through the filter and the encoder into segment files, over the same into a
// sink that only counts. `kernels_per_second` of CPU time; the goal is 1 million on one core, without loss. Writes to
// TMPDIR, else /tmp.
#include <benchmark/benchmark.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "capture/detail_filter.h"
#include "capture/ring_output.h"
#include "kernel_stream.h"

namespace slowtoken::bench {
namespace {

constexpr int kStepsPerChunk = 550;  // 250,000 kernels: a quarter of a second at the goal

class Kernels final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::Kernel& event) override { kernels.push_back(event); }
  std::vector<record::Kernel> kernels;
};

class CountingSink final : public trace::Sink {
 public:
  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override {
    bytes += header.size() + payload.size();
    return true;
  }
  uint64_t bytes = 0;
};

void Record(benchmark::State& state, bool to_ring) {
  const char* place = getenv("TMPDIR");
  const std::string folder = std::string(place != nullptr ? place : "/tmp") + "/slowtoken_ring_bench";
  capture::Config config;
  snprintf(config.directory, sizeof config.directory, "%s", folder.c_str());
  snprintf(config.role, sizeof config.role, "bench");
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  arena.Reserve(64u << 20, true);
  dictionary.Init(arena, {}, losses);
  KernelStream stream(1, dictionary);
  Kernels chunk;
  for (int i = 0; i < kStepsPerChunk; ++i) stream.Step(true, chunk);
  CountingSink counting;
  auto ring = std::make_unique<capture::RingOutput>();
  ring->Init(arena, config, "flight", {config.flight.ring_bytes, config.flight.ring_age_ns()});
  auto encoder = std::make_unique<trace::ChunkEncoder>();
  trace::Sink& sink = to_ring ? static_cast<trace::Sink&>(*ring) : counting;
  encoder->Init(arena, dictionary, losses, sink, {}, {});
  capture::DetailFilter filter;
  filter.Init(*encoder, *encoder, nullptr, losses);
  uint64_t now = 0;
  for (auto _ : state) {
    filter.On(std::span<const record::Kernel>(chunk.kernels));
    ++now;
    filter.On(record::Advance{now, now, 0});
  }
  state.counters["kernels_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(chunk.kernels.size()), benchmark::Counter::kIsRate);
  state.counters["lost_chunks"] = static_cast<double>(losses.Get(base::Loss::kChunkWriteFailed));
  state.counters["kept_MiB"] = static_cast<double>(ring->bytes_kept()) / (1 << 20);
  std::filesystem::remove_all(folder);
  arena.Release();
}

BENCHMARK_CAPTURE(Record, counted, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Record, ring, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace slowtoken::bench

BENCHMARK_MAIN();
