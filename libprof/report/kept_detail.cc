#include "report/kept_detail.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "analysis/detail_spans.h"
#include "analysis/text_safety.h"
#include "report/json.h"
#include "report/process_name.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

constexpr size_t kMostTriggersShown = 5;
constexpr size_t kMostSpansShown = 8;

std::string Name(const reader::ProcessInfo& process) { return ProcessName(process.role, process.pid); }

std::string PercentOfPpm(uint32_t ppm) { return Percent(static_cast<double>(ppm) / 1e6); }

// What a span of less than full detail leaves out; empty where another note says it.
std::string SpanText(const analysis::DetailSpan& span, record::TimeNs origin) {
  const auto at = [&](record::TimeNs time) { return absl::StrCat("+", Duration(time > origin ? time - origin : 0)); };
  switch (span.change.reason) {
    case record::DetailReason::kCapped:
      return absl::StrCat("the trace reached its size cap at ", at(span.change.time), "; from then on summaries only");
    case record::DetailReason::kStart:
      if (span.change.level == record::DetailLevel::kMetrics) return "";  // the mode
      return absl::StrCat("only ", LevelText(span.change), " was kept (--sample)");
    case record::DetailReason::kBudget:
    case record::DetailReason::kSpare:
    case record::DetailReason::kAsked:
      break;
  }
  const std::string cost = CostText(span.change);
  const bool plural = span.change.level == record::DetailLevel::kMetrics;
  return absl::StrCat("from ", at(span.change.time), " to ", at(span.end), " only ", LevelText(span.change),
                      plural ? " were" : " was", " kept", cost.empty() ? "" : ": ", cost);
}

// What one process left out on purpose.
void AddNotes(const reader::ProcessInfo& process, const std::vector<analysis::DetailSpan>& spans, record::TimeNs origin,
              v1::Coverage& coverage) {
  size_t shown = 0, more = 0;
  for (const analysis::DetailSpan& span : spans) {
    if (span.change.process != process.index) continue;
    const std::string text = SpanText(span, origin);
    if (text.empty()) continue;
    if (shown == kMostSpansShown) {
      ++more;
      continue;
    }
    ++shown;
    coverage.add_notes(absl::StrCat(Name(process), ": ", text));
  }
  if (more != 0) coverage.add_notes(absl::StrCat(Name(process), ": and ", more, " more times less than full detail"));
  if (process.detail_from == UINT64_MAX || process.detail_from == 0) return;
  const record::TimeNs from = process.detail_from > origin ? process.detail_from - origin : 0;
  coverage.add_notes(absl::StrCat(Name(process), ": full detail from +", Duration(from),
                                  " on (flight ring); before that summaries only"));
}

void FillSpans(const std::vector<analysis::DetailSpan>& spans, const std::vector<reader::ProcessInfo>& processes,
               record::TimeNs origin, v1::Report& report) {
  const auto since = [&](record::TimeNs time) { return time > origin ? time - origin : 0; };
  for (const analysis::DetailSpan& span : spans) {
    v1::DetailSpan& out = *report.add_detail();
    for (const reader::ProcessInfo& process : processes) {
      if (process.index == span.change.process) out.set_pid(process.pid);
    }
    out.set_start_ns(since(span.change.time));
    out.set_end_ns(since(span.end));
    out.set_level(record::kDetailLevelNames[static_cast<size_t>(span.change.level)]);
    out.set_reason(record::kDetailReasonNames[static_cast<size_t>(span.change.reason)]);
    if (span.change.level == record::DetailLevel::kSampled) {
      out.set_unit(record::kSampleUnitNames[static_cast<size_t>(span.change.unit)]);
      out.set_keep_one_in(span.change.keep_one_in);
    }
    if (span.change.cost_ppm != 0) out.set_cost(static_cast<double>(span.change.cost_ppm) / 1e6);
    if (span.change.budget_ppm != 0) out.set_budget(static_cast<double>(span.change.budget_ppm) / 1e6);
  }
}

std::string KindWords(const std::string& kind) {
  if (kind == "slo_ttft") return "SLO ttft";
  return kind == "slo_itl" ? "SLO itl" : kind;
}

std::string WhatHappened(const v1::TriggerReport& trigger) {
  const std::string request = RequestName(trigger.req(), trigger.clear());
  const bool first = trigger.kind() == "slo_ttft";
  if (first || trigger.kind() == "slo_itl" || trigger.kind() == "stall") {
    // "had": it is noticed when the limit has passed, or when the token has been worked out.
    return absl::StrCat("request ", request, " had waited ", Duration(trigger.value_ns()), " for ",
                        first ? "its first token" : absl::StrCat("token ", trigger.n()), ", limit ",
                        Duration(trigger.limit_ns()));
  }
  if (trigger.kind() == "control") return absl::StrCat("asked for: ", trigger.text());
  return trigger.kind() == "program" ? "the program asked for it" : "";
}

}  // namespace

const char* TriggerName(record::TriggerKind kind) {
  return record::kTriggerKindNames[static_cast<size_t>(kind) % std::size(record::kTriggerKindNames)];
}

std::string LevelText(const record::DetailChange& change) {
  switch (change.level) {
    case record::DetailLevel::kFull:
      return "full detail";
    case record::DetailLevel::kSampled:
      return absl::StrCat(change.unit == record::SampleUnit::kRequests ? "the detail of the iterations of 1 request in "
                                                                       : "the detail of 1 iteration in ",
                          change.keep_one_in);
    case record::DetailLevel::kAnnotations:
      return "what requests and iterations say of themselves";
    case record::DetailLevel::kMetrics:
      break;
  }
  return "summaries and metrics";
}

std::string CostText(const record::DetailChange& change) {
  if (change.reason == record::DetailReason::kBudget) {
    return absl::StrCat("own cost ", PercentOfPpm(change.cost_ppm), " over the budget of ",
                        PercentOfPpm(change.budget_ppm));
  }
  if (change.reason == record::DetailReason::kSpare) {
    return absl::StrCat("own cost ", PercentOfPpm(change.cost_ppm), ", going back up within the budget of ",
                        PercentOfPpm(change.budget_ppm));
  }
  return "";
}

bool NoDetail(const std::vector<reader::ProcessInfo>& processes) {
  return !processes.empty() && std::all_of(processes.begin(), processes.end(), [](const reader::ProcessInfo& process) {
    return process.detail_from == UINT64_MAX;
  });
}

void FillKeptDetail(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                    const record::Dictionary& dictionary, record::TimeNs origin, v1::Report& report) {
  v1::Coverage& coverage = *report.mutable_coverage();
  if (NoDetail(processes)) {
    coverage.add_notes(
        "summaries only (mode metrics, or the file of summaries of a flight recording without the ring and the dumps "
        "beside it): kernels and launches are not listed, and each request is as its own process saw it");
  }
  const std::vector<analysis::DetailSpan> spans = analysis::DetailSpans(analysis.facts());
  for (const reader::ProcessInfo& process : processes) AddNotes(process, spans, origin, coverage);
  FillSpans(spans, processes, origin, report);
  std::vector<record::Trigger> triggers = analysis.facts().triggers();
  std::sort(triggers.begin(), triggers.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  const auto since = [&](record::TimeNs time) { return time > origin ? time - origin : 0; };
  for (const record::Trigger& trigger : triggers) {
    v1::TriggerReport& out = *report.add_triggers();
    out.set_kind(TriggerName(trigger.kind));
    out.set_time_ns(since(trigger.time));
    out.set_window_start_ns(since(trigger.window_start));
    out.set_window_end_ns(since(trigger.window_end));
    out.set_req(trigger.req);
    out.set_clear(analysis.request_texts().Of(trigger.req));
    out.set_n(trigger.n);
    out.set_value_ns(trigger.value_ns);
    out.set_limit_ns(trigger.limit_ns);
    out.set_text(analysis::SafeText(dictionary.text(trigger.text), 256));
    out.set_pid(trigger.pid);
    out.set_id(absl::StrFormat("%016x", trigger.id));
  }
}

std::string TriggersText(const v1::Report& report) {
  std::string out;
  const auto count = static_cast<size_t>(report.triggers_size());
  for (size_t i = 0; i < std::min(count, kMostTriggersShown); ++i) {
    const v1::TriggerReport& trigger = report.triggers(static_cast<int>(i));
    absl::StrAppend(&out, "Triggered at +", Duration(trigger.time_ns()), " (", KindWords(trigger.kind()),
                    "): ", WhatHappened(trigger), "\n");
  }
  if (count > kMostTriggersShown)
    absl::StrAppend(&out, "and ", Counted(count - kMostTriggersShown, "more trigger"), "\n");
  return out;
}

}  // namespace slowtoken::report
