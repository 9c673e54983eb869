// The report about what one pass over traces shows: what `report`, `why` and `diff` all begin with. Called by a verb on
// the only thread; reads every chunk once.
#pragma once

#include <absl/status/statusor.h>
#include <slowtoken/v1/report.pb.h>

#include <string>

#include "analysis/graph_paths.h"
#include "analysis/summary_choice.h"
#include "analysis/tee.h"
#include "record/ids.h"
#include "record/visitor.h"
#include "report/options.h"
#include "service_levels.h"
#include "trace_pass.h"

namespace slowtoken::cli {

// Reads all of `pass`. `contents` says what goes in; its SLOs (those asked for, else the run's) and what the traces'
// graph level leaves out are set here. Shows progress as `verb`. What is concluded goes to `also` as well, and what
// graph nodes were captured in to `paths`, where they are given.
absl::StatusOr<v1::Report> ReadReport(TracePass& pass, report::Options& contents, const AskedLevels& asked,
                                      const char* verb, record::EventVisitor* also = nullptr,
                                      analysis::GraphPaths* paths = nullptr);

// The levels that a report with these contents was judged by.
inline ServiceLevels LevelsOf(const report::Options& contents) {
  return {.ttft_ns = contents.slo_ttft_ns, .itl_ns = contents.slo_itl_ns};
}

// Reads all of `pass` for a visitor `moments` that shows what happened: the events of the trace go to it, and what was
// concluded, each conclusion once, to its conclusions(). Shows progress as `verb`.
template <typename Moments>
absl::Status ReadMoments(TracePass& pass, Moments& moments, const ServiceLevels& levels, const char* verb) {
  analysis::SummaryChoice choice(pass.traces().processes(), moments.conclusions());
  analysis::Tee events(moments, choice.recorded());
  if (absl::Status read = pass.Run(events, choice.computed(), levels, verb); !read.ok()) return read;
  choice.Finish();
  return absl::OkStatus();
}

// The request a user names: a clear id that a trace holds, one to be hashed with `key` (hex; empty: SLOWTOKEN_KEY), a
// pseudonym as reports print it, or the beginning of one of these if no other request begins so. Reads all of `pass`,
// twice where there is none: then the error says what of the traces is missing. Shows progress as `verb`.
absl::StatusOr<record::RequestId> FindRequest(TracePass& pass, const std::string& id, const std::string& key,
                                              const char* verb);

}  // namespace slowtoken::cli
