#include "html_report.h"

#include "report/html/page.h"
#include "trace_report.h"

namespace slowtoken::cli {
namespace {

// What the second reading is for, as one visitor (ReadMoments).
class AroundSlowTokens {
 public:
  AroundSlowTokens(report::html::Timelines& timelines, report::html::RequestWaterfalls& waterfalls)
      : events_(timelines, waterfalls), conclusions_(timelines.conclusions(), waterfalls.conclusions()) {}

  template <typename Event>
  void On(const Event& event) {
    events_.On(event);
  }
  record::EventVisitor& conclusions() { return conclusions_; }

 private:
  analysis::Tee<report::html::Timelines, report::html::RequestWaterfalls> events_;
  analysis::Tee<record::EventVisitor, record::EventVisitor> conclusions_;
};

}  // namespace

absl::Status WriteHtmlReport(TracePass::Input input, const ServiceLevels& levels, const v1::Report& report,
                             report::html::PageEvents& events, std::ostream& out) {
  const report::html::SlowTokens slow = report::html::FindSlowTokens(report);
  input.again = true;
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(input, "report");
  if (!pass.ok()) return pass.status();
  const reader::TraceSet& traces = (*pass)->traces();
  report::html::Timelines timelines(traces.dictionary(), report.origin().monotonic_ns(), slow.windows,
                                    (*pass)->ProcessNames());
  report::html::RequestWaterfalls waterfalls(traces.dictionary(), report, slow);
  if (!slow.windows.empty()) {
    AroundSlowTokens around(timelines, waterfalls);
    if (absl::Status read = ReadMoments(**pass, around, levels, "report"); !read.ok()) return read;
  }
  report::html::WritePage(report::html::PageData(report, events, slow, timelines, waterfalls), out);
  return absl::OkStatus();
}

}  // namespace slowtoken::cli
