#include "report/kept_detail.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "analysis/text_safety.h"
#include "report/json.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

constexpr size_t kMostTriggersShown = 5;

std::string Name(const reader::ProcessInfo& process) {
  return absl::StrCat(analysis::SafeText(process.role.empty() ? "process" : process.role, 64), " ", process.pid);
}

// What one process left out on purpose; empty: nothing.
std::string NoteOf(const reader::ProcessInfo& process, const analysis::RecorderFacts& facts, record::TimeNs origin) {
  const auto since = [&](record::TimeNs time) { return Duration(time > origin ? time - origin : 0); };
  const auto level = facts.levels().find(process.index);
  if (level != facts.levels().end() && level->second.reason == record::DetailReason::kCapped) {
    return absl::StrCat(Name(process), ": the trace reached its size cap at +", since(level->second.time),
                        "; from then on summaries only");
  }
  if (process.detail_from == UINT64_MAX || process.detail_from == 0) return "";
  return absl::StrCat(Name(process), ": full detail from +", since(process.detail_from),
                      " on (flight ring); before that summaries only");
}

std::string WhatHappened(const v1::TriggerReport& trigger) {
  const std::string request = RequestName(trigger.req(), trigger.clear());
  const std::string wait = absl::StrCat(Duration(trigger.value_ns()), ", limit ", Duration(trigger.limit_ns()));
  if (trigger.kind() == "slo_ttft") return absl::StrCat("request ", request, " waited for its first token: ", wait);
  if (trigger.kind() == "slo_itl" || trigger.kind() == "stall") {
    return absl::StrCat("request ", request, " waited for token ", trigger.n(), ": ", wait);
  }
  if (trigger.kind() == "control") return absl::StrCat("asked for: ", trigger.text());
  return trigger.kind() == "program" ? "the program asked for it" : "";
}

}  // namespace

const char* TriggerName(record::TriggerKind kind) {
  return record::kTriggerKindNames[static_cast<size_t>(kind) % std::size(record::kTriggerKindNames)];
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
        "summaries only (mode metrics): kernels and launches are not listed, and each request is as its own process "
        "saw it");
  }
  for (const reader::ProcessInfo& process : processes) {
    if (std::string note = NoteOf(process, analysis.facts(), origin); !note.empty()) {
      *coverage.add_notes() = std::move(note);
    }
  }
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
    const auto clear = analysis.request_texts().find(trigger.req);
    if (clear != analysis.request_texts().end()) out.set_clear(clear->second);
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
    absl::StrAppend(&out, "Triggered at +", Duration(trigger.time_ns()), " (", trigger.kind(),
                    "): ", WhatHappened(trigger), "\n");
  }
  if (count > kMostTriggersShown) absl::StrAppend(&out, "and ", count - kMostTriggersShown, " more triggers\n");
  return out;
}

}  // namespace slowtoken::report
