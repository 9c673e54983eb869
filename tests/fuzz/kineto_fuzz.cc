// Fuzzes the reading of other tools' traces: JSON of whatever shape, through everything that `slowtoken import` does
// but the files. A first byte of 'z' is a gzip file.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "fuzz_input.h"
#include "import/kineto_events.h"
#include "import/kineto_facts.h"
#include "import/source_text.h"
#include "import/time_line.h"
#include "trace/chunk_encoder.h"

namespace slowtoken::importing {
namespace {

using fuzz::Require;

struct CountingSink final : trace::Sink {
  bool Write(std::span<const uint8_t>, std::span<const uint8_t>) override { return true; }
};

// Small tables, so that they fill.
struct World {
  static constexpr record::Dictionary::Limits kLimits{.texts = 64, .text_bytes = 4096, .shapes = 16, .lanes = 8};
  World() {
    trace::EncoderLimits limits;
    limits.texts = kLimits.texts;
    limits.shapes = kLimits.shapes;
    limits.lanes = kLimits.lanes;
    limits.column_bytes = 128u << 10;
    limits.text_bytes = 1024;
    limits.kernel_sites = limits.api_call_sites = 16;
    Require(arena.Reserve(4u << 20, false) && dictionary.Init(arena, kLimits, losses) &&
            encoder->Init(arena, dictionary, losses, sink, {}, limits));
  }
  ~World() { arena.Release(); }
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  CountingSink sink;
  std::unique_ptr<trace::ChunkEncoder> encoder = std::make_unique<trace::ChunkEncoder>();
};

void ImportJson(std::string json) {
  World world;
  const size_t bytes = json.size();
  KinetoEvents events(world.dictionary, [&](uint64_t byte) { Require(byte <= bytes); });
  const ScanResult scan = ScanJson(json, events);
  Require(scan.at <= bytes + 1);
  const bool said = scan.verdict == ScanResult::Verdict::kWhole || scan.verdict == ScanResult::Verdict::kCut;
  Require((said && scan.damaged_places == 0) || !scan.what.empty());
  events.Finish(RankOf(scan.metadata));
  EventStore& store = events.store();
  const EventStore::Extent extent = store.extent();
  if (extent.first <= extent.last) {
    store.Shift(TimeLineOf(scan.metadata, extent).shift);
    Require(store.extent().first > 0);
  }
  LabelsOf(scan.metadata);
  ConditionsOf(scan.metadata);
  for (const record::DeviceInfo& device : DevicesOf(scan.metadata, events.devices(), world.dictionary)) {
    world.encoder->On(device);
  }
  world.encoder->On(SourceOf(scan.metadata, store.has_gpu_work(), 1, world.dictionary));
  store.Tell(0, *world.encoder);
  world.encoder->Finish();
}

void ReadFile(std::string_view bytes) {
  char path[] = "/tmp/slowtoken_fuzz_XXXXXX";
  const int fd = mkstemp(path);
  Require(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(fd);
  absl::StatusOr<SourceText> source = ReadSourceText(path, [](uint64_t, uint64_t) {});
  unlink(path);
  if (source.ok()) ImportJson(std::move(source->text));
}

}  // namespace
}  // namespace slowtoken::importing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("z")) {
    slowtoken::importing::ReadFile(bytes.substr(1));
  } else {
    slowtoken::importing::ImportJson(std::string(bytes));
  }
  return 0;
}
