// Metrics: the histograms and counters attribution keeps. Filled when summaries go out and launches are done with; read
// by EmitHistograms and EmitCounters. Single threaded; 21 KB a histogram, fixed.
#pragma once

#include <array>

#include "attribution/histogram.h"
#include "record/summaries.h"
#include "record/visitor.h"

namespace slowtoken::attribution {

class Metrics {
 public:
  bool Init(base::Arena& arena);

  void Add(const record::RequestSummary& request);
  void Add(const record::GapSummary& gap);
  void Add(const record::IterationSummary& iteration);
  // One launch: time in the call, and how long after it the GPU began (only if later).
  void AddLaunch(record::TimeNs api_start, record::TimeNs api_end, record::TimeNs gpu_start);
  // Tokens generated, told when they come and not when their request ends.
  void AddGenerated(uint64_t tokens) { tokens_[static_cast<size_t>(record::TokenKind::kGenerated)] += tokens; }

  // One HistogramSnapshot per histogram that has samples.
  void Emit(record::EventVisitor& out);

  // A CounterSnapshot for every counter of requests, tokens, iterations and launches that anything was seen of.
  void EmitCounters(record::EventVisitor& out) const;

 private:
  void EmitOne(record::Metric metric, uint8_t label, const Histogram& histogram, record::EventVisitor& out);

  Histogram ttft_, itl_step_, itl_token_, launch_delay_, launch_api_;
  std::array<Histogram, record::kTtftPhaseCount> ttft_phases_;
  std::array<Histogram, record::kGapPhaseCount> itl_phases_;
  std::span<record::HistogramBucket> buckets_;

  std::array<uint64_t, 6> requests_{};                             // by FinishReason
  std::array<uint64_t, 3> tokens_{};                               // by TokenKind
  std::array<uint64_t, 5> iterations_{};                           // by IterationKind
  std::array<uint64_t, record::kStallCauseCount> stalls_{};        // by Cause
  std::array<uint64_t, record::kCauseCount> slow_first_tokens_{};  // by Cause
};

}  // namespace slowtoken::attribution
