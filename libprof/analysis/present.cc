#include "analysis/present.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

namespace slowtoken::analysis {

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

}  // namespace slowtoken::analysis
