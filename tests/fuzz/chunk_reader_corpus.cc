// Writes seed corpora with our own encoder: chunk_reader_corpus DIR. One file per kind of event, plus mixed ones, each
// as a whole trace and as the payload of a chunk (DIR/chunk_reader, for chunk_reader_fuzz), and as the trace behind a
// process's answer (DIR/control_answer, for control_answer_fuzz).
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "random_events.h"
#include "trace/chunk_encoder.h"
#include "trace/frame.h"

namespace slowtoken::reader {
namespace {

class StringSink final : public trace::Sink {
 public:
  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override {
    trace.append(header.begin(), header.end());
    trace.append(payload.begin(), payload.end());
    if (!payload.empty()) last_payload.assign(payload.begin(), payload.end());
    return true;
  }
  std::string trace{trace::kFileMagic.begin(), trace::kFileMagic.end()};
  std::string last_payload;
};

// `kind` < 0: twenty events of any kind.
void WriteSeed(const std::filesystem::path& dir, int kind, uint64_t seed) {
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  arena.Reserve(64u << 20, false);
  dictionary.Init(arena, {}, losses);
  StringSink sink;
  trace::FileHeader header;
  header.run_id = "run";
  header.pid = 1;
  auto encoder = std::make_unique<trace::ChunkEncoder>();
  encoder->Init(arena, dictionary, losses, sink, header, {});
  RandomEvents random(seed, dictionary);
  for (int i = 0; i < (kind < 0 ? 20 : 2); ++i) {
    random.Emit(kind < 0 ? static_cast<int>(random.Below(RandomEvents::kKinds)) : kind, seed % 2 == 1, *encoder);
  }
  encoder->On(record::Advance{seed, seed, 0});
  encoder->Finish();
  const std::string name = std::to_string(kind) + "_" + std::to_string(seed);
  std::ofstream(dir / "chunk_reader" / ("trace_" + name), std::ios::binary) << '\0' << sink.trace;
  std::ofstream(dir / "chunk_reader" / ("chunk_" + name), std::ios::binary) << '\1' << sink.last_payload;
  std::ofstream(dir / "control_answer" / ("trace_" + name), std::ios::binary) << sink.trace;
  arena.Release();
}

}  // namespace
}  // namespace slowtoken::reader

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: chunk_reader_corpus DIR\n");
    return 2;
  }
  for (const char* target : {"chunk_reader", "control_answer"}) {
    std::filesystem::create_directories(std::filesystem::path(argv[1]) / target);
  }
  for (int kind = -1; kind < slowtoken::reader::RandomEvents::kKinds; ++kind) {
    for (uint64_t seed = 0; seed < 2; ++seed) slowtoken::reader::WriteSeed(argv[1], kind, seed);
  }
  return 0;
}
