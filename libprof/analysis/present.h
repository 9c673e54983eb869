// Present: what one process knows about itself at one instant, as it tells it over the control socket (a small trace):
// counters, histograms, losses, own cost, sources. What `ctl`, `top` and the OpenMetrics text are made of. Offline,
// single threaded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/present_histogram.h"
#include "analysis/recorder_facts.h"
#include "reader/process_info.h"
#include "record/conditions.h"
#include "record/detail_events.h"
#include "record/summaries.h"

namespace slowtoken::analysis {

struct CounterKey {
  record::Counter counter = record::Counter::kRequests;
  uint32_t label = 0;
  uint32_t detail = 0;
  bool operator==(const CounterKey&) const = default;
  bool operator<(const CounterKey& other) const {
    return std::tie(counter, label, detail) < std::tie(other.counter, other.label, other.detail);
  }
};

struct PresentDevice {
  std::string uuid;
  std::string name;
};

struct Present {
  reader::ProcessInfo process;
  record::TimeNs now = 0;        // CLOCK_MONOTONIC of the host
  record::TimeNs watermark = 0;  // what happened up to here is counted
  std::map<CounterKey, uint64_t> counters;
  std::map<std::pair<record::Metric, uint8_t>, PresentHistogram> histograms;
  std::map<uint32_t, PresentDevice> devices;  // by ordinal
  std::map<uint32_t, record::DeviceSample> device_samples;
  std::map<record::Source, SourceFact> sources;  // the newest state of each
  std::map<std::string, std::string> conditions;
  std::optional<record::DetailChange> detail;
  record::OwnCost cost;
  record::CaptureTotals totals;

  // nullopt where the process did not tell.
  std::optional<uint64_t> Count(record::Counter counter, uint32_t label = 0, uint32_t detail_label = 0) const;
  // Over all labels; nullopt if nothing was counted under any.
  std::optional<uint64_t> Total(record::Counter counter) const;
  const PresentHistogram* Find(record::Metric metric, uint8_t label = 0) const;
  // UUID where it is known, else the ordinal.
  std::string DeviceName(uint32_t ordinal) const;
  uint64_t Lost(std::string_view cause) const;
  // Blind time in ns by reason: CUPTI's under the reason's name, that of other sources under "<source>_<reason>". A
  // pause silences all of them and is told once.
  std::map<std::string, uint64_t> BlindByReason() const;
};

}  // namespace slowtoken::analysis
