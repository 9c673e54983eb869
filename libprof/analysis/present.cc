#include "analysis/present.h"

#include <absl/strings/str_cat.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "analysis/devices.h"
#include "analysis/text_safety.h"
#include "attribution/histogram.h"
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

PresentHistogram PresentHistogram::Since(const PresentHistogram& before) const {
  PresentHistogram left = *this;
  if (before.count > count) return left;
  for (const auto& [index, n] : before.buckets) {
    const auto it = left.buckets.find(index);
    if (it == left.buckets.end() || it->second < n) return *this;
    it->second -= n;
    if (it->second == 0) left.buckets.erase(it);
  }
  left.count -= before.count;
  left.sum_ns -= std::min(before.sum_ns, left.sum_ns);
  return left;
}

uint64_t PresentHistogram::Quantile(double q) const {
  const auto rank = static_cast<uint64_t>(std::ceil(q * static_cast<double>(count)));
  uint64_t below = 0;
  for (const auto& [index, n] : buckets) {
    below += n;
    if (below >= rank) return std::min(attribution::BucketMiddle(index), max_ns);
  }
  return 0;
}

std::optional<uint64_t> Present::Count(record::Counter counter, uint32_t label, uint32_t detail_label) const {
  const auto it = counters.find({counter, label, detail_label});
  return it == counters.end() ? std::nullopt : std::optional(it->second);
}

std::optional<uint64_t> Present::Total(record::Counter counter) const {
  std::optional<uint64_t> total;
  for (const auto& [key, count] : counters) {
    if (key.counter == counter) total = total.value_or(0) + count;
  }
  return total;
}

const PresentHistogram* Present::Find(record::Metric metric, uint8_t label) const {
  const auto it = histograms.find({metric, label});
  return it == histograms.end() ? nullptr : &it->second;
}

std::string Present::DeviceName(uint32_t ordinal) const {
  const auto it = devices.find(ordinal);
  return it == devices.end() ? absl::StrCat(ordinal) : it->second.uuid;
}

uint64_t Present::Lost(std::string_view cause) const {
  for (const auto& [name, count] : process.losses) {
    if (name == cause) return count;
  }
  return 0;
}

std::map<std::string, uint64_t> Present::BlindByReason() const {
  std::map<std::string, uint64_t> blind;
  for (const auto& [key, ns] : counters) {
    if (key.counter != record::Counter::kBlindNs) continue;
    const auto source = static_cast<record::Source>(key.detail);
    const bool known = key.label < record::kBlindReasonCount;
    const std::string name = known ? record::kBlindReasonNames[key.label] : absl::StrCat(key.label);
    const bool whole =
        source == record::Source::kCupti || key.label == static_cast<uint32_t>(record::BlindReason::kPaused);
    uint64_t& sum = blind[whole ? name : absl::StrCat(SourceName(source), "_", name)];
    sum = std::max(sum, ns);
  }
  return blind;
}

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
