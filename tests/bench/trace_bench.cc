// What the trace file costs: encoding (ns and bytes a kernel, plain and with zstd -1) and reading (events a second).
// Bytes a kernel are given whole (`B/kernel`) and without names and launch shapes (`net`), which a chunk holds once
// however many kernels it has. Chunks of about 100,000 kernels, as written once a second under heavy load.
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <zstd.h>

#include <filesystem>
#include <memory>
#include <variant>

#include "kernel_stream.h"
#include "reader/frame_reader.h"
#include "reader/recompress.h"
#include "reader/trace_file.h"
#include "trace/chunk_encoder.h"
#include "trace/file_sink.h"

namespace slowtoken::bench {
namespace {

constexpr int kSteps = 440;  // 200,000 kernels
constexpr int kStepsPerChunk = 220;

struct Names {
  Names() {
    arena.Reserve(256u << 20, false);
    dictionary.Init(arena, {}, losses);
  }
  ~Names() { arena.Release(); }
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
};

// The events of a run, made beforehand so that making them is not measured.
class Script final : public record::EventVisitor {
 public:
  void On(const record::Kernel& event) override { events.push_back(event); }
  void On(const record::ApiCall& event) override { events.push_back(event); }
  void Play(record::EventVisitor& out) const {
    for (const auto& event : events) {
      if (const auto* kernel = std::get_if<record::Kernel>(&event)) {
        out.On(*kernel);
      } else {
        out.On(std::get<record::ApiCall>(event));
      }
    }
  }
  std::vector<std::variant<record::Kernel, record::ApiCall>> events;
};

std::vector<Script> MakeScripts(bool graph, record::Dictionary& dictionary) {
  KernelStream stream(1, dictionary);
  std::vector<Script> chunks;
  for (int step = 0; step < kSteps; ++step) {
    if (step % kStepsPerChunk == 0) chunks.emplace_back();
    stream.Step(graph, chunks.back());
  }
  return chunks;
}

class CountingSink final : public trace::Sink {
 public:
  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override {
    bytes += header.size() + payload.size();
    return true;
  }
  uint64_t bytes = 0;
};

void Encode(benchmark::State& state, bool graph) {
  Names names;
  const std::vector<Script> chunks = MakeScripts(graph, names.dictionary);
  CountingSink sink;
  auto encoder = std::make_unique<trace::ChunkEncoder>();
  encoder->Init(names.arena, names.dictionary, names.losses, sink, {}, {});
  for (auto _ : state) {
    for (const Script& chunk : chunks) {
      chunk.Play(*encoder);
      encoder->On(record::Advance{1, 1, 0});
    }
  }
  const double kernels = static_cast<double>(state.iterations()) * kSteps * KernelStream::kKernelsPerStep;
  state.counters["kernel"] = benchmark::Counter(kernels, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["B/kernel"] = static_cast<double>(sink.bytes) / kernels;
}
BENCHMARK_CAPTURE(Encode, graph, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Encode, eager, false)->Unit(benchmark::kMillisecond);

// A folder with the trace of one run.
struct TraceOnDisk {
  explicit TraceOnDisk(bool graph) {
    char pattern[] = "/tmp/slowtoken_bench_XXXXXX";
    dir = mkdtemp(pattern);
    path = dir + "/plain.stt";
    Names names;
    const std::vector<Script> chunks = MakeScripts(graph, names.dictionary);
    trace::FileSink sink;
    sink.OpenPath(path);
    auto encoder = std::make_unique<trace::ChunkEncoder>();
    encoder->Init(names.arena, names.dictionary, names.losses, sink, {}, {});
    for (const Script& chunk : chunks) {
      chunk.Play(*encoder);
      encoder->On(record::Advance{1, 1, 0});
      events += chunk.events.size();
    }
    encoder->Finish();
  }
  ~TraceOnDisk() { std::filesystem::remove_all(dir); }
  std::string dir, path;
  size_t events = 0;
};

size_t Compressed(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  return ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1);
}

// Names and launch shapes of every chunk, plain and compressed.
std::pair<size_t, size_t> DefinitionBytes(const std::string& path) {
  auto frames = reader::FrameReader::Open(path);
  reader::Frame frame;
  std::vector<reader::Damage> damage;
  size_t plain = 0, packed = 0;
  while ((*frames)->Next(frame, damage)) {
    v1::Chunk chunk, definitions;
    chunk.ParseFromArray(frame.payload.data(), static_cast<int>(frame.payload.size()));
    *definitions.mutable_texts() = chunk.texts();
    *definitions.mutable_shapes() = chunk.shapes();
    const std::string bytes = definitions.SerializeAsString();
    plain += bytes.size();
    packed += Compressed(bytes);
  }
  return {plain, packed};
}

void Compress(benchmark::State& state, bool graph) {
  const TraceOnDisk trace(graph);
  const std::string packed = trace.dir + "/packed.stt";
  uint64_t size = 0;
  for (auto _ : state) {
    std::filesystem::remove(packed);
    size = reader::RecompressTrace(trace.path, packed, 1).value();
  }
  const double kernels = kSteps * KernelStream::kKernelsPerStep;
  const auto [definitions, packed_definitions] = DefinitionBytes(trace.path);
  const auto plain = static_cast<double>(std::filesystem::file_size(trace.path));
  state.counters["plain"] = plain / kernels;
  state.counters["plain_net"] = (plain - static_cast<double>(definitions)) / kernels;
  state.counters["zstd1"] = static_cast<double>(size) / kernels;
  state.counters["zstd1_net"] = static_cast<double>(size - packed_definitions) / kernels;
  state.counters["kernel"] = benchmark::Counter(kernels * static_cast<double>(state.iterations()),
                                                benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(Compress, graph, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Compress, eager, false)->Unit(benchmark::kMillisecond);

// Takes kernels and does the least with them.
class Counter final : public record::EventVisitor {
 public:
  void On(const record::Kernel& event) override { sum += event.end - event.start; }
  void On(const record::ApiCall& event) override { sum += event.end - event.start; }
  uint64_t sum = 0;
};

void Read(benchmark::State& state, bool graph) {
  const TraceOnDisk trace(graph);
  Names names;
  auto file = reader::TraceFile::Open(trace.path, 0, names.dictionary).value();
  for (auto _ : state) {
    Counter counter;
    if (!file->Rewind().ok()) state.SkipWithError("cannot rewind");
    while (file->NextChunk(counter)) {
    }
    benchmark::DoNotOptimize(counter.sum);
  }
  state.counters["events"] = benchmark::Counter(
      static_cast<double>(trace.events) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(Read, graph, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, eager, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace slowtoken::bench

BENCHMARK_MAIN();
