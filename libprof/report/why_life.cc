#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "report/annotation_text.h"
#include "report/table.h"
#include "report/thread_label.h"
#include "report/units.h"
#include "report/why_sections.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;
using record::AnnotationName;

constexpr size_t kMostSteps = 24;

struct LifeLine {
  record::TimeNs at = 0;
  std::vector<std::string> cells;
};

const char* VerbOf(AnnotationName name) {
  switch (name) {
    case AnnotationName::kReq:
      return "arrived";
    case AnnotationName::kReqTokenize:
      return "was tokenised";
    case AnnotationName::kReqQueued:
      return "was queued";
    case AnnotationName::kReqWaiting:
      return "waited";
    case AnnotationName::kReqScheduled:
      return "was scheduled";
    case AnnotationName::kReqPreempted:
      return "was preempted";
    case AnnotationName::kReqResumed:
      return "was resumed";
    case AnnotationName::kReqFinish:
      return "ended";
    default:
      return record::kAnnotationTexts[static_cast<size_t>(name)];
  }
}

std::string StepText(const RequestLife::Step& step, const Moment& moment) {
  const auto name_of = [&](record::RequestId req) { return moment.NameOf(req); };
  const std::vector<std::string> fields = FieldTexts(step.said, moment.dictionary(), name_of, moment.window().req);
  std::string text = absl::StrCat(VerbOf(step.said.name), fields.empty() ? "" : ": ", absl::StrJoin(fields, ", "));
  if (step.times > 1) absl::StrAppend(&text, ", said ", WithCommas(step.times), " times");
  return step.open && step.said.name != AnnotationName::kReq ? text + ", not seen to end" : text;
}

std::string ThreadText(const RequestLife::Step& step, const Moment& moment) {
  const std::string_view role = moment.RoleOf({step.said.process, step.said.thread});
  return absl::StrCat(step.said.thread, role.empty() ? "" : " ", ShortRole(role));
}

uint64_t Since(record::TimeNs at, const Moment& moment) { return at - std::min(at, moment.window().start); }

LifeLine StepLine(const RequestLife::Step& step, const Moment& moment) {
  const bool lasts = step.until > step.said.start && step.said.name != AnnotationName::kReq;
  return {step.said.start,
          {Duration(Since(step.said.start, moment)), lasts ? Duration(step.until - step.said.start) : "",
           StepText(step, moment), ThreadText(step, moment)}};
}

LifeLine IterationLine(const Moment::Iteration& iteration, const Moment& moment) {
  std::string text = absl::StrCat("was in iteration ", iteration.summary.key.iter);
  for (const record::BatchRow& row : iteration.rows) {
    if (row.req == moment.window().req)
      absl::StrAppend(&text, ": ", std::string(1, record::kRowKindLetters[static_cast<size_t>(row.kind)]), row.n_tok);
  }
  const record::TimeNs start = iteration.summary.start;
  return {start,
          {Duration(Since(start, moment)), Duration(iteration.summary.end - std::min(start, iteration.summary.end)),
           text, ""}};
}

std::vector<LifeLine> LifeLines(const Moment& moment) {
  std::vector<LifeLine> lines;
  for (const RequestLife::Step& step : moment.life().Steps(moment.window().end)) {
    lines.push_back(StepLine(step, moment));
    if (step.said.name == AnnotationName::kReq && !step.open)
      lines.push_back({step.until, {Duration(Since(step.until, moment)), "", "left the server", ""}});
  }
  for (const Moment::Iteration& iteration : moment.Iterations()) {
    if (iteration.own) lines.push_back(IterationLine(iteration, moment));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const LifeLine& a, const LifeLine& b) { return a.at < b.at; });
  return lines;
}

std::string StaysText(const Moment& moment) {
  const Moment::Window& window = moment.window();
  record::TimeNs computed_from = 0;
  for (const Moment::Iteration& iteration : moment.Iterations()) {
    if (iteration.own && computed_from == 0) computed_from = iteration.summary.start;
  }
  std::vector<PhaseStep> steps;
  for (const RequestLife::Stay& stay : moment.life().Stays(window.start, window.end, computed_from))
    steps.push_back({.phase = RequestLife::kPlaceNames[static_cast<size_t>(stay.place)],
                     .start_ns = stay.start - window.start,
                     .ns = stay.end - stay.start});
  return WaterfallText(steps, window.end - window.start, moment, 0);
}

}  // namespace

std::string LifeText(const Moment& moment, const WhyOptions& options) {
  const std::vector<LifeLine> lines = LifeLines(moment);
  // Of very many those in the middle are left out: how it began and how it ended count most.
  const size_t kept = options.all ? lines.size() : std::min(lines.size(), kMostSteps);
  Table table({{"at"}, {"for"}, {"it", Align::kLeft}, {"thread", Align::kLeft}});
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i < kept / 2 || i >= lines.size() - (kept - kept / 2)) {
      table.Add(lines[i].cells);
    } else if (i == kept / 2) {
      table.Add({"", "", absl::StrCat("… ", WithCommas(lines.size() - kept), " more", kShowAll), ""});
    }
  }
  const std::string steps =
      table.empty() ? "\nNothing that the engine said of it is in the trace\n" : "\nWhat it did\n" + table.Text();
  return StaysText(moment) + steps;
}

}  // namespace slowtoken::report
