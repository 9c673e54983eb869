// ReportBuilder: collects what attribution concludes (it is the visitor that the engine writes to) and, with the
// analyses of the same pass, makes the report. Called by the command line. Single threaded, offline.
// Memory: about 200 bytes a request, 32 bytes a gap (400 with Options::gaps), and what Options asks for.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <slowtoken/v1/report.pb.h>

#include <array>
#include <iterator>
#include <vector>

#include "analysis/log_histogram.h"
#include "analysis/samples.h"
#include "analysis/trace_analysis.h"
#include "reader/process_info.h"
#include "record/visitor.h"
#include "report/graph_section.h"
#include "report/launch_gaps.h"
#include "report/options.h"

namespace slowtoken::report {

class ReportBuilder final : public record::EventVisitor {
 public:
  explicit ReportBuilder(const Options& options) : options_(options) {}

  using EventVisitor::On;
  void On(const record::RequestSummary& summary) override;
  void On(const record::GapSummary& gap) override;
  void On(const record::IterationSummary& iteration) override;

  // After the last event, once. `analysis` is finished. `reading`: what was lost while reading, not while recording.
  v1::Report Build(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                   const std::vector<const base::LossCounters*>& reading, const ReadingNotes& notes = {});

 private:
  struct Request {
    v1::RequestReport report;
    record::TimeNs arrival = 0;
    record::TimeNs end = 0;
    bool summarised = false;
  };

  bool Wanted(record::RequestId req) const { return !options_.only || *options_.only == req; }
  void AddGap(const record::GapSummary& gap);
  void FillOrigin(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes);
  void FillRequests(const analysis::TraceAnalysis& analysis);
  void FillThroughput();
  void FillTtft();
  void FillItl();
  void FillIterations();
  void FillMachine(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes);
  uint64_t SinceOrigin(record::TimeNs time) const { return time > origin_ ? time - origin_ : 0; }

  Options options_;
  v1::Report report_;
  record::TimeNs origin_ = 0;
  absl::flat_hash_map<record::RequestId, Request> requests_;

  analysis::Samples ttft_, step_, token_;
  std::array<analysis::LogHistogram, record::kTtftPhaseCount> ttft_phases_;
  std::array<analysis::LogHistogram, record::kGapPhaseCount> gap_phases_;
  std::array<uint64_t, std::size(record::kWaitReasonTexts)> queue_by_sum_{};
  analysis::LogHistogram interference_;
  uint64_t ttft_sum_ = 0, gap_sum_ = 0, interference_of_ns_ = 0, ttft_over_level_ = 0;
  uint32_t ttft_told_ = 0, gap_told_ = 0;
  struct OpenStall {
    record::TimeNs start = 0;
    v1::Stall stall;
  };
  std::vector<OpenStall> stalls_;
  struct OpenIteration {
    record::TimeNs start = 0;
    v1::Iteration iteration;
  };
  std::vector<OpenIteration> iterations_;
  analysis::LogHistogram iteration_duration_, iteration_gpu_;
  std::vector<DecodeWindow> decode_;
  EagerFallbacks eager_fallbacks_;
};

// Helpers shared by the parts of the builder.
v1::Distribution ToDistribution(const analysis::Summary& summary);
v1::Distribution ToDistribution(const analysis::LogHistogram& histogram);

}  // namespace slowtoken::report
