// The report's section `graphs`: GPU time inside replays by captured range, opaque graphs, and graph misses. Called by
// ReportBuilder. Definitions: docs/METRICS.md.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include "analysis/log_histogram.h"
#include "analysis/trace_analysis.h"
#include "record/summaries.h"

namespace slowtoken::report {

// Decode-only iterations by size, with and without a graph. Classes are powers of two of the row count.
class EagerFallbacks {
 public:
  void Add(const record::IterationSummary& iteration);
  // Nothing where no class usually replays a graph.
  void Fill(v1::Graphs& graphs) const;

 private:
  static constexpr uint64_t kFew = 8;
  static constexpr size_t kClasses = 33;
  struct Class {
    analysis::LogHistogram with_graph, eager;  // lengths
    bool ReplaysGraphs() const {
      const uint64_t all = with_graph.count() + eager.count();
      return all >= kFew && with_graph.count() * 4 >= all * 3;
    }
  };
  Class classes_[kClasses];
};

void FillGraphs(const analysis::TraceAnalysis& analysis, v1::Graphs& graphs);

// Why a graph is opaque, for people.
const char* OpaqueText(const std::string& reason);

}  // namespace slowtoken::report
