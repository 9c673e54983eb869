// PageEvents: what the page needs of gaps and iterations and the report does not keep: both over time, the gaps of each
// request added up, and the phases of stalls. A visitor for what attribution concludes, beside ReportBuilder.
// Single threaded, offline. Memory: 16 bytes a gap, 40 an iteration, 200 a request, 150 a stall.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <utility>

#include "record/visitor.h"
#include "report/html/batch_bins.h"
#include "report/html/gap_bins.h"
#include "report/options.h"

namespace slowtoken::report::html {

class PageEvents final : public record::EventVisitor {
 public:
  // The phases of a gap, or of several added up, with what can be told of them (told.h).
  struct Phases {
    record::GapPhases ns{};
    uint32_t told = 0;
  };
  struct Decode {
    Phases phases;
    uint64_t gaps = 0, stalls = 0, longest_ns = 0;
  };

  // `options` are those of the report; they must be complete before the first gap comes, and outlive this.
  explicit PageEvents(const Options& options) : options_(&options) {}

  using EventVisitor::On;
  void On(const record::GapSummary& gap) override;
  void On(const record::IterationSummary& iteration) override { batches_.Add(iteration); }

  GapBins& gaps() { return gaps_; }
  BatchBins& batches() { return batches_; }
  // nullptr: no gap of it was seen; no such stall.
  const Decode* DecodeOf(record::RequestId req) const;
  const Phases* PhasesOfStall(record::RequestId req, uint32_t n) const;

 private:
  const Options* options_;
  GapBins gaps_;
  BatchBins batches_;
  absl::flat_hash_map<record::RequestId, Decode> decode_;
  absl::flat_hash_map<std::pair<record::RequestId, uint32_t>, Phases> stalls_;
};

}  // namespace slowtoken::report::html
