// PartIndex: which of some hundred spans of time an event overlaps, for a trace of millions of events. Each span stands
// in every bin that it touches. Single threaded; an event costs a look at the spans of its bins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "record/ids.h"

namespace slowtoken::report::html {

class PartIndex {
 public:
  // [start, end) of each span.
  explicit PartIndex(std::vector<std::pair<record::TimeNs, record::TimeNs>> spans = {}) : spans_(std::move(spans)) {
    if (spans_.empty()) return;
    for (const auto& [start, end] : spans_) {
      first_ = std::min(first_, start);
      last_ = std::max(last_, end);
    }
    bin_ns_ = (last_ - std::min(first_, last_)) / kBins + 1;
    bins_.resize(kBins);
    for (size_t i = 0; i < spans_.size(); ++i) {
      for (size_t bin = BinOf(spans_[i].first); bin <= BinOf(spans_[i].second); ++bin) bins_[bin].push_back(i);
    }
  }

  // Calls does(index) of each span that [start, end] overlaps, once.
  template <typename Does>
  void ForEach(record::TimeNs start, record::TimeNs end, Does does) const {
    if (bins_.empty() || end <= first_ || start >= last_ || start >= end) return;
    const size_t from = BinOf(start);
    for (size_t bin = from; bin <= BinOf(end); ++bin) {
      for (const size_t i : bins_[bin]) {
        const auto& [span_start, span_end] = spans_[i];
        const bool seen = bin != std::max(from, BinOf(span_start));
        if (!seen && start < span_end && end > span_start) does(i);
      }
    }
  }

 private:
  static constexpr size_t kBins = 4096;
  size_t BinOf(record::TimeNs time) const {
    return time <= first_ ? 0 : std::min<size_t>((time - first_) / bin_ns_, kBins - 1);
  }

  std::vector<std::pair<record::TimeNs, record::TimeNs>> spans_;
  record::TimeNs first_ = UINT64_MAX, last_ = 0;
  uint64_t bin_ns_ = 1;
  std::vector<std::vector<size_t>> bins_;
};

}  // namespace slowtoken::report::html
