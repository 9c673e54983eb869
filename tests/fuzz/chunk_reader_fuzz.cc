// Fuzzes the trace reader: the input is a whole trace file, or (first byte odd) the payload of one chunk behind a right
// checksum, so that the fuzzer does not have to find checksums. Whatever it is: no crash, no endless loop, bounded
// memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/crc32c.h"
#include "reader/trace_file.h"
#include "trace/frame.h"

namespace slowtoken::reader {
namespace {

// Touches what a consumer would: ids through the dictionary, every element of spans, enumerators as indexes.
class Toucher final : public record::EventVisitor {
 public:
  explicit Toucher(const record::Dictionary& dictionary) : dictionary_(dictionary) {}
  void On(const record::Kernel& e) override { sum += dictionary_.text(dictionary_.shape(e.shape).name).size() + e.end; }
  void On(const record::NvtxRange& e) override {
    for (const record::PayloadField& field : e.fields) sum += field.bits + dictionary_.text(field.name).size();
  }
  void On(const record::Annotation& e) override {
    sum += static_cast<uint64_t>(record::kAnnotationTexts[static_cast<size_t>(e.name)][0]);
    for (const record::BatchRow& row : e.rows)
      sum += static_cast<uint64_t>(record::kRowKindLetters[static_cast<size_t>(row.kind)]);
    const auto reason = e.Get(record::AnnotationField::kFinishReason);
    sum += static_cast<uint64_t>(record::kFinishReasonTexts[reason][0]);
  }
  void On(const record::GapSummary& e) override {
    sum += static_cast<uint64_t>(record::kGapPhaseNames[static_cast<size_t>(e.largest_phase)][0]);
  }
  void On(const record::IterationSummary& e) override {
    for (const record::BatchRow& row : e.rows) sum += row.n_tok;
  }
  void On(const record::HistogramSnapshot& e) override {
    for (const record::HistogramBucket& bucket : e.buckets) sum += bucket.count;
  }
  void On(const record::RequestIdText& e) override { sum += e.text.size(); }
  uint64_t sum = 0;

 private:
  const record::Dictionary& dictionary_;
};

std::string Framed(const std::string& payload) {
  trace::FrameHeader header;
  header.stored_size = header.raw_size = static_cast<uint32_t>(payload.size());
  header.payload_crc = base::Crc32c(payload.data(), payload.size());
  const trace::FrameHeaderBytes head = trace::EncodeFrameHeader(header);
  return std::string(trace::kFileMagic.begin(), trace::kFileMagic.end()) + std::string(head.begin(), head.end()) +
         payload;
}

void ReadTrace(const std::string& bytes) {
  const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  arena.Reserve(4u << 20, false);
  dictionary.Init(arena, {.texts = 256, .text_bytes = 1u << 16, .shapes = 64, .lanes = 32}, losses);
  auto file = TraceFile::Open("/proc/self/fd/" + std::to_string(fd), 0, dictionary);
  if (file.ok()) {
    Toucher toucher(dictionary);
    while ((*file)->NextChunk(toucher)) {
    }
    (*file)->DeliverOpen(toucher);
    [[maybe_unused]] volatile uint64_t kept = toucher.sum;  // so that nothing of it is optimised away
  }
  file = absl::UnknownError("done");
  arena.Release();
  close(fd);
}

}  // namespace
}  // namespace slowtoken::reader

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  slowtoken::reader::ReadTrace((data[0] & 1) != 0 ? slowtoken::reader::Framed(rest) : rest);
  return 0;
}
