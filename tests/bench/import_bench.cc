// What importing costs: the JSON reader alone (Scan), the whole way from a file to a written trace (Import), and the
// same from gzip. Bytes are those of the JSON. The text is made here, with the mix of events of a PyTorch trace.
// usage: import_bench [KINETO_FILE] [GOOGLE_BENCHMARK_OPTION…]: a real file instead.
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "import/json_scan.h"
#include "import/kineto_import.h"

namespace slowtoken::bench {
namespace {

constexpr int kOps = 40'000;

std::string Event(const char* cat, const std::string& name, int pid, int tid, double ts, double dur,
                  const std::string& args) {
  char head[160];
  std::snprintf(head, sizeof head,
                "\", \"pid\": %d, \"tid\": %d,\n    \"ts\": %.3f, \"dur\": %.3f,\n    \"args\": {\n      ", pid, tid,
                ts, dur);
  return std::string("  {\n    \"ph\": \"X\", \"cat\": \"") + cat + "\", \"name\": \"" + name + head + args +
         "\n    }\n  },\n";
}

std::string Flow(const char* ph, int id, double ts) {
  char text[160];
  std::snprintf(text, sizeof text,
                "  {\n    \"ph\": \"%s\", \"id\": %d, \"pid\": 0, \"tid\": 7, \"ts\": %.3f,\n    \"cat\": \"ac2g\", "
                "\"name\": \"ac2g\", \"bp\": \"e\"\n  },\n",
                ph, id, ts);
  return text;
}

// An op, its launch, its kernel and the flow between them.
std::string OpText(int i) {
  const double at = 4458676522690.655 + i * 21.37;
  const std::string id = std::to_string(57532 + i), external = std::to_string(2049 + i);
  std::string text =
      Event("cpu_op", "aten::native_batch_norm_" + std::to_string(i % 70), 4711, 4711, at, 18.2,
            R"("External id": )" + external +
                R"(,"Record function id": 0, "Concrete Inputs": ["", "0", "0", "32", "1"], "Input type": )"
                R"(["float", "Scalar", "Scalar"], "Input Dims": [[1024, 72], [], []], "Ev Idx": )" +
                external);
  text += Event("cuda_runtime", "cudaLaunchKernel", 4711, 4711, at + 3, 4.5,
                R"("External id": )" + external + R"(, "cbid": 211, "correlation": )" + id);
  text += Flow("s", 57532 + i, at + 3);
  text += Event(
      "kernel",
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, "
      "3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)#" +
          std::to_string(i % 90),
      0, 7, at + 12, 5.088,
      R"("External id": )" + external + R"(, "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": )" +
          id + R"(,
      "registers per thread": 40, "shared memory": 400,
      "blocks per SM": 0.074074, "warps per SM": 1.259259,
      "grid": [8, 1, 1], "block": [544, 1, 1],
      "est. achieved occupancy %": 0)");
  return text + Flow("f", 57532 + i, at + 12);
}

std::string MadeText() {
  std::string text =
      "{\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0},\n  \"traceEvents\": "
      "[\n";
  for (int i = 0; i < kOps; ++i) text += OpText(i);
  text.resize(text.size() - 2);
  return text + "\n  ],\n  \"baseTimeNanoseconds\": 1711964646000000000\n}\n";
}

std::string& Text() {
  static std::string text = MadeText();
  return text;
}

struct Nobody final : importing::EventReceiver {
  void On(const importing::SourceEvent& event) override { benchmark::DoNotOptimize(event.ts.data()); }
  void ReadUpTo(uint64_t) override {}
};

void SetRates(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(Text().size()));
}

void Scan(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    std::string json = Text();
    json.reserve(json.size() + importing::kTextPadding);
    state.ResumeTiming();
    Nobody nobody;
    benchmark::DoNotOptimize(importing::ScanJson(json, nobody).events);
  }
  SetRates(state);
}
BENCHMARK(Scan)->Unit(benchmark::kMillisecond);

// A file of the text, plain or packed.
class SourceFile {
 public:
  explicit SourceFile(bool packed) {
    char pattern[] = "/tmp/slowtoken_bench_XXXXXX";
    folder_ = mkdtemp(pattern);
    path_ = folder_ + "/source";
    gzFile file = gzopen(path_.c_str(), packed ? "wb6" : "wbT");
    gzwrite(file, Text().data(), static_cast<unsigned>(Text().size()));
    gzclose(file);
  }
  ~SourceFile() { std::filesystem::remove_all(folder_); }
  const std::string& path() const { return path_; }
  std::string target() const { return folder_ + "/out.stt"; }

 private:
  std::string folder_, path_;
};

void Import(benchmark::State& state, bool packed) {
  const SourceFile source(packed);
  const auto place = [&](const std::string&, uint64_t) -> absl::StatusOr<std::string> { return source.target(); };
  importing::ImportedTrace trace;
  for (auto _ : state) {
    importing::ImportRun run{.id = "00000000000000aa", .writer_version = ""};
    auto imported = importing::ImportKineto(source.path(), place, run, [](uint64_t, uint64_t) {});
    if (!imported.ok()) return state.SkipWithError(std::string(imported.status().message()).c_str());
    trace = *std::move(imported);
    std::filesystem::remove(source.target());
  }
  SetRates(state);
  state.counters["B/event"] = static_cast<double>(trace.trace_bytes) / static_cast<double>(trace.events);
}
BENCHMARK_CAPTURE(Import, plain, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Import, gzip, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace slowtoken::bench

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] != '-') {
    auto source = slowtoken::importing::ReadSourceText(argv[1], [](uint64_t, uint64_t) {});
    if (!source.ok()) {
      std::fprintf(stderr, "import_bench: %s\n", std::string(source.status().message()).c_str());
      return 3;
    }
    slowtoken::bench::Text() = std::move(source->text);
    argv[1] = argv[0];
    ++argv, --argc;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
