// Metrics: the histograms attribution keeps, one per record::Metric and phase. Filled when summaries go out and
// launches are done with; read by EmitHistograms. Single threaded; 21 KB a histogram, fixed.
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
  // One launch: time in the call, and how long after it the GPU began (only if later).
  void AddLaunch(record::TimeNs api_start, record::TimeNs api_end, record::TimeNs gpu_start);

  // One HistogramSnapshot per histogram that has samples.
  void Emit(record::EventVisitor& out);

 private:
  void EmitOne(record::Metric metric, uint8_t label, const Histogram& histogram, record::EventVisitor& out);

  Histogram ttft_, itl_step_, itl_token_, launch_delay_, launch_api_;
  std::array<Histogram, record::kTtftPhaseCount> ttft_phases_;
  std::array<Histogram, record::kGapPhaseCount> itl_phases_;
  std::span<record::HistogramBucket> buckets_;
};

}  // namespace slowtoken::attribution
