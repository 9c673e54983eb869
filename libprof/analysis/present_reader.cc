#include "analysis/present_reader.h"

#include <absl/strings/str_cat.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/devices.h"
#include "analysis/text_safety.h"
#include "reader/trace_file.h"

namespace slowtoken::analysis {
namespace {

class Collector final : public record::EventVisitor {
 public:
  Collector(Present& present, const record::Dictionary& dictionary) : present_(present), dictionary_(dictionary) {}

  using EventVisitor::On;
  void On(const record::CounterSnapshot& c) override { present_.counters[{c.counter, c.label, c.detail}] = c.value; }
  void On(const record::HistogramSnapshot& h) override {
    PresentHistogram& to = present_.histograms[{h.metric, h.label}];
    to = {.count = h.count, .sum_ns = h.sum_ns, .max_ns = h.max_ns, .buckets = {}};
    for (const record::HistogramBucket& bucket : h.buckets) to.buckets[bucket.index] = bucket.count;
  }
  void On(const record::DeviceInfo& d) override {
    present_.devices[d.ordinal] = {UuidText(d.uuid, d.is_mig), SafeText(dictionary_.text(d.name), 128)};
  }
  void On(const record::DeviceSample& s) override { present_.device_samples[s.device] = s; }
  void On(const record::SourceStatus& s) override {
    record::TimeNs& since = since_[s.source];
    if (present_.sources.contains(s.source) && s.time < since) return;
    since = s.time;
    present_.sources[s.source] = {.process = 0,
                                  .source = s.source,
                                  .state = s.state,
                                  .error = s.error,
                                  .version = s.version,
                                  .detail = SafeText(dictionary_.text(s.detail), 512)};
  }
  void On(const record::Condition& c) override {
    present_.conditions[SafeText(dictionary_.text(c.name), 128)] = SafeText(dictionary_.text(c.value), 512);
  }
  void On(const record::DetailChange& d) override { present_.detail = d; }
  void On(const record::OwnCost& c) override { present_.cost = c; }
  void On(const record::CaptureTotals& t) override { present_.totals = t; }
  void On(const record::Advance& a) override {
    present_.now = a.now;
    present_.watermark = a.watermark;
  }

 private:
  Present& present_;
  const record::Dictionary& dictionary_;
  std::map<record::Source, record::TimeNs> since_;
};

// The reader reads files: this is one that has no name and no disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("slowtoken-answer", MFD_CLOEXEC)) {
    while (fd_ >= 0 && !bytes.empty()) {
      const ssize_t n = write(fd_, bytes.data(), bytes.size());
      if (n <= 0) break;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    whole_ = fd_ >= 0 && bytes.empty();
  }
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool whole() const { return whole_; }
  std::string path() const { return absl::StrCat("/proc/self/fd/", fd_); }

 private:
  int fd_;
  bool whole_ = false;
};

absl::StatusOr<Present> ReadFrom(const MemoryFile& file, record::Dictionary& dictionary) {
  absl::StatusOr<std::unique_ptr<reader::TraceFile>> trace = reader::TraceFile::Open(file.path(), 0, dictionary);
  if (!trace.ok()) return absl::DataLossError("its answer holds no trace");
  Present present;
  Collector collector(present, dictionary);
  while ((*trace)->NextChunk(collector)) {
  }
  present.process = (*trace)->info();
  if (!present.process.clean_end || present.process.damage_count != 0) {
    return absl::DataLossError("its answer broke off");
  }
  return present;
}

}  // namespace

absl::StatusOr<Present> ReadPresent(std::string_view trace) {
  const MemoryFile file(trace);
  if (!file.whole()) return absl::ResourceExhaustedError("no memory for its answer");
  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  constexpr record::Dictionary::Limits kLimits{.texts = 4096, .text_bytes = 1u << 20, .shapes = 16, .lanes = 16};
  if (!arena.Reserve(4u << 20, false) || !dictionary.Init(arena, kLimits, losses)) {
    return absl::ResourceExhaustedError("no memory for its answer");
  }
  absl::StatusOr<Present> present = ReadFrom(file, dictionary);
  arena.Release();
  return present;
}

}  // namespace slowtoken::analysis
