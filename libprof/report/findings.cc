#include "report/findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <vector>

#include "record/annotation.h"
#include "record/conditions.h"
#include "record/phases.h"
#include "report/json.h"
#include "report/thread_label.h"
#include "report/units.h"

namespace slowtoken::report {

using record::EvidenceKind;

v1::Finding ToFinding(const record::CauseFinding& finding) {
  v1::Finding out;
#define SLOWTOKEN_SET(number, column, member, coding) \
  out.set_##member(static_cast<decltype(out.member())>(finding.member));
  SLOWTOKEN_FINDING_MEMBERS(SLOWTOKEN_SET, 0, )
#undef SLOWTOKEN_SET
  return out;
}

const char* CauseText(const v1::Finding& finding) {
  return record::kCauseNames[finding.cause() < record::kCauseCount ? finding.cause() : 0];
}

const char* EvidenceText(const v1::Finding& finding) {
  return record::kEvidenceNames[finding.evidence() < record::kEvidenceCount ? finding.evidence() : 0];
}

const char* ConfidenceText(const v1::Finding& finding) {
  return record::kConfidenceNames[finding.confidence() < std::size(record::kConfidenceNames) ? finding.confidence()
                                                                                             : 0];
}

namespace {

// How the request that a finding names ended, if not well.
const char* CutShort(const v1::Finding& finding) {
  switch (static_cast<record::FinishReason>(finding.req_finish())) {
    case record::FinishReason::kAbort:
      return "aborted";
    case record::FinishReason::kError:
      return "failed";
    case record::FinishReason::kRejected:
      return "rejected";
    default:
      return "";
  }
}

}  // namespace

Json EvidenceJson(const v1::Finding& finding) {
  Json list = Json::array();
  if (finding.evidence() == 0) return list;
  Json out = {{"kind", EvidenceText(finding)}};
  if (finding.evidence_ns() != 0) {
    out["ns"] = finding.evidence_ns();
    if (finding.evidence_end_ns() != 0) out["start_ns"] = finding.evidence_start_ns();
    if (finding.evidence_end_ns() != 0) out["end_ns"] = finding.evidence_end_ns();
  }
  if (finding.thread() != 0) out["thread"] = finding.thread();
  if (!finding.thread_role().empty()) out["thread_role"] = finding.thread_role();
  if (finding.has_process()) out["process"] = finding.process();
  if (finding.iter() != 0) out["iter"] = finding.iter();
  if (finding.req() != 0) out["req"] = RequestName(finding.req(), finding.clear());
  if (finding.req_prompt() != 0) out["req_prompt"] = finding.req_prompt();
  if (*CutShort(finding) != 0) out["req_finish"] = record::kFinishReasonTexts[finding.req_finish()];
  if (finding.amount() != 0) out["amount"] = finding.amount();
  list.push_back(std::move(out));
  return list;
}

namespace {

std::string Thread(const v1::Finding& f) {
  return f.thread() == 0 ? "a thread" : ThreadText(f.thread(), f.thread_role());
}

std::string Iteration(const v1::Finding& f) {
  return f.iter() == 0 ? std::string("an iteration") : absl::StrCat("iteration ", f.iter());
}

// "request r-17 (220,841 prompt tokens, aborted)".
std::string Request(const v1::Finding& f) {
  if (f.req() == 0) return "another request";
  std::vector<std::string> about;
  if (f.req_prompt() != 0) about.push_back(absl::StrCat(WithCommas(f.req_prompt()), " prompt tokens"));
  if (const char* cut = CutShort(f); *cut != 0) about.emplace_back(cut);
  return absl::StrCat("request ", RequestName(f.req(), f.clear()),
                      about.empty() ? "" : absl::StrCat(" (", absl::StrJoin(about, ", "), ")"));
}

// What a thread did and for how long.
std::string ThreadSentence(const v1::Finding& f, const char* what, uint64_t ns) {
  return absl::StrCat(Thread(f), " ", what, " ", Duration(ns));
}
std::string ThreadSentence(const v1::Finding& f, const char* what) { return ThreadSentence(f, what, f.evidence_ns()); }

// Of the time that a thread did not run, the part the sentence is about. (Traces of old do not tell it of one that was
// blocked.)
uint64_t PartOf(const v1::Finding& f) { return f.amount() != 0 ? f.amount() : f.evidence_ns(); }

// What a thread did; empty where the evidence is not about a thread.
std::string ThreadEvidence(const v1::Finding& f) {
  switch (static_cast<EvidenceKind>(f.evidence())) {
    case EvidenceKind::kOwnFlush:
      return ThreadSentence(f, "was held up by CUPTI for");
    case EvidenceKind::kThreadRan:
      return ThreadSentence(f, "was busy on a CPU for");
    case EvidenceKind::kThreadWaited:
      return ThreadSentence(f, "could run and had no CPU for", PartOf(f));
    case EvidenceKind::kThreadBlocked:
      return ThreadSentence(f, "was blocked for", PartOf(f));
    case EvidenceKind::kThrottled:
      return absl::StrCat(ThreadSentence(f, "did not run for"), " while the cgroup was throttled for ",
                          Duration(f.amount()));
    case EvidenceKind::kPageFaults:
      return absl::StrCat(ThreadSentence(f, "was blocked for"), " with ", WithCommas(f.amount()),
                          " pages read from disk");
    case EvidenceKind::kGc:
      return ThreadSentence(f, "collected garbage for");
    case EvidenceKind::kJit:
      return ThreadSentence(f, "compiled for");
    case EvidenceKind::kKvWork:
      return ThreadSentence(f, "moved KV cache for");
    case EvidenceKind::kMemoryCall:
      return absl::StrCat(ThreadSentence(f, "allocated or freed GPU memory for"),
                          f.amount() > 1 ? absl::StrCat(" in ", WithCommas(f.amount()), " calls") : "");
    case EvidenceKind::kGraphBuild:
      return ThreadSentence(f, "built a CUDA graph for");
    case EvidenceKind::kModuleLoad:
      return ThreadSentence(f, "loaded GPU code for");
    case EvidenceKind::kModelLoad:
      return ThreadSentence(f, "loaded weights for");
    default:
      return "";
  }
}

// "power_cap, thermal"
std::string ThrottleText(uint64_t reasons) {
  std::vector<const char*> names;
  for (const record::ThrottleReason& reason : record::kThrottleReasons) {
    if ((reasons & reason.bit) != 0) names.push_back(reason.name);
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace

std::string EvidenceSentence(const v1::Finding& f) {
  const std::string took = Duration(f.evidence_ns());
  switch (static_cast<EvidenceKind>(f.evidence())) {
    case EvidenceKind::kBlind:
      return "nothing was seen for a part of this time";
    case EvidenceKind::kOtherPrefill:
      return absl::StrCat(Iteration(f), " prefilled ", WithCommas(f.amount()), " tokens of ", Request(f), ", ", took);
    case EvidenceKind::kEagerLaunch:
      return absl::StrCat(Iteration(f), " launched ", WithCommas(f.amount()),
                          " kernels one by one where a graph is usual, ", took);
    case EvidenceKind::kPreemption:
      return f.amount() == 0 ? absl::StrCat("it was preempted for ", took)
                             : absl::StrCat(WithCommas(f.amount()), " tokens were computed again, ", took);
    case EvidenceKind::kSampleWork:
      return absl::StrCat("sampling in ", Iteration(f), " took ", took);
    case EvidenceKind::kCommittedEarly:
      return absl::StrCat("the token was there ", took, " before it was sent");
    case EvidenceKind::kCollective:
      return absl::StrCat(Iteration(f), " waited ", took, " in a collective");
    case EvidenceKind::kSlowKernels:
      return absl::StrCat("the same work took ", took, " longer than the usual ", Duration(f.amount()));
    case EvidenceKind::kClocks:
      return absl::StrCat("the same work took ", took, " longer while the GPU's clocks were held down (",
                          ThrottleText(f.amount()), ")");
    case EvidenceKind::kWaitMarks:
      return absl::StrCat(f.cause() == static_cast<uint32_t>(record::Cause::kQueueOther) ? "it was queued for "
                                                                                         : "the engine said so for ",
                          took);
    case EvidenceKind::kBusyTokenizer:
      return absl::StrCat(Thread(f), " tokenised the text of ", Request(f), " first, ", took);
    case EvidenceKind::kOwnPrompt:
      return absl::StrCat("its own ", WithCommas(f.amount()), " tokens took ", took, ", as so many usually do");
    case EvidenceKind::kOthersBetween:
      return absl::StrCat(WithCommas(f.amount()), f.amount() == 1 ? " iteration" : " iterations",
                          " of others ran in between, ", took);
    case EvidenceKind::kOtherGpuWork:
      return absl::StrCat("the GPU worked on ", Iteration(f), " and others first, ", took);
    default:
      return ThreadEvidence(f);
  }
}

namespace {

bool SawThreadStates(const v1::Report& report) {
  const auto& missing = report.coverage().missing();
  return std::find(missing.begin(), missing.end(), "thread_states") == missing.end();
}

bool IsHostPhase(record::GapPhase phase) {
  return phase == record::GapPhase::kSchedule || phase == record::GapPhase::kSubmit ||
         phase == record::GapPhase::kGpuIdle || phase == record::GapPhase::kCommitWait;
}

bool IsHostPhase(record::TtftPhase phase) {
  return phase == record::TtftPhase::kSchedule || phase == record::TtftPhase::kSubmit ||
         phase == record::TtftPhase::kCommitWait;
}

}  // namespace

Judged JudgedOf(const v1::Report& report, const v1::Stall& stall) {
  return {.took_ns = stall.gap_ns(),
          .excess_ns = stall.excess_ns(),
          .few_samples = stall.few_samples(),
          .host_phase = IsHostPhase(static_cast<record::GapPhase>(stall.largest_phase())),
          .thread_states = SawThreadStates(report)};
}

Judged JudgedOf(const v1::Report& report, const v1::Gap& stall) {
  return {.took_ns = stall.gap_ns(),
          .excess_ns = stall.stall_excess_ns(),
          .few_samples = stall.few_samples(),
          .host_phase = IsHostPhase(static_cast<record::GapPhase>(stall.largest_phase())),
          .thread_states = SawThreadStates(report)};
}

Judged JudgedOf(const v1::Report& report, const v1::RequestReport& slow) {
  return {.took_ns = slow.ttft_ns(),
          .excess_ns = slow.slow_excess_ns(),
          .few_samples = slow.few_samples(),
          .host_phase = IsHostPhase(static_cast<record::TtftPhase>(slow.largest_phase())),
          .thread_states = SawThreadStates(report)};
}

namespace {

// A phase that took no more than this part of the gap longer than usual explains nothing (attribution/stall_causes.cc).
constexpr uint64_t kLeastPart = 20;

std::string WhyUnknown(const v1::Finding& f, const Judged& judged) {
  if (static_cast<EvidenceKind>(f.evidence()) == EvidenceKind::kBlind) return "";  // the evidence says it
  if (judged.few_samples) return "too few came before it to know what is usual; above a fixed threshold alone";
  if (judged.excess_ns < judged.took_ns / kLeastPart) return "no phase took notably longer than usual";
  if (judged.host_phase && !judged.thread_states) return "what the threads did was not recorded";
  return "nothing that was recorded covers half of it";
}

bool IsThreadState(EvidenceKind kind) {
  return kind == EvidenceKind::kThreadRan || kind == EvidenceKind::kThreadWaited ||
         kind == EvidenceKind::kThreadBlocked || kind == EvidenceKind::kThrottled ||
         kind == EvidenceKind::kPageFaults || kind == EvidenceKind::kSampleWork;
}

}  // namespace

std::string DoubtText(const v1::Finding& f, const Judged& judged) {
  if (f.cause() == static_cast<uint32_t>(record::Cause::kUnknown)) return WhyUnknown(f, judged);
  if (f.confidence() != static_cast<uint32_t>(record::Confidence::kLow)) return "";
  if (f.cause() == static_cast<uint32_t>(record::Cause::kQueueOther)) return "the engine gave no reason";
  const uint64_t excess = judged.excess_ns;
  if (f.evidence_ns() < excess - excess / 5) {
    return absl::StrCat("it covers ", Percent(static_cast<double>(f.evidence_ns()) / static_cast<double>(excess)),
                        " of the ", Duration(excess));
  }
  if (IsThreadState(static_cast<EvidenceKind>(f.evidence())))
    return "when the thread left the CPU was not recorded, only totals";
  return "it was not seen directly";
}

std::string FindingText(const v1::Finding& finding, const Judged& judged) {
  const std::string evidence = EvidenceSentence(finding), doubt = DoubtText(finding, judged);
  std::string out = absl::StrCat(CauseText(finding), evidence.empty() ? "" : ": ", evidence);
  if (doubt.empty()) return out;
  return evidence.empty() ? absl::StrCat(out, ": ", doubt) : absl::StrCat(out, " (not sure: ", doubt, ")");
}

}  // namespace slowtoken::report
