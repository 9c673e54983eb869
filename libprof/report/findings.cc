#include "report/findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <vector>

#include "record/conditions.h"
#include "report/json.h"
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
  if (finding.iter() != 0) out["iter"] = finding.iter();
  if (finding.req() != 0) out["req"] = RequestName(finding.req(), finding.clear());
  if (finding.amount() != 0) out["amount"] = finding.amount();
  list.push_back(std::move(out));
  return list;
}

namespace {

std::string Thread(const v1::Finding& f) {
  return f.thread() == 0 ? std::string("a thread") : absl::StrCat("thread ", f.thread());
}

std::string Iteration(const v1::Finding& f) {
  return f.iter() == 0 ? std::string("an iteration") : absl::StrCat("iteration ", f.iter());
}

std::string Request(const v1::Finding& f) {
  return f.req() == 0 ? std::string("another request") : "request " + RequestName(f.req(), f.clear());
}

// What a thread did and for how long.
std::string ThreadSentence(const v1::Finding& f, const char* what) {
  return absl::StrCat(Thread(f), " ", what, " ", Duration(f.evidence_ns()));
}

// What a thread did; empty where the evidence is not about a thread.
std::string ThreadEvidence(const v1::Finding& f) {
  switch (static_cast<EvidenceKind>(f.evidence())) {
    case EvidenceKind::kOwnFlush:
      return ThreadSentence(f, "was held up by CUPTI for");
    case EvidenceKind::kThreadRan:
      return ThreadSentence(f, "was busy on a CPU for");
    case EvidenceKind::kThreadWaited:
      return ThreadSentence(f, "could run and had no CPU for");
    case EvidenceKind::kThreadBlocked:
      return ThreadSentence(f, "was blocked for");
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
      return ThreadSentence(f, "allocated or freed GPU memory for");
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
      return absl::StrCat("the engine said so for ", took);
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

}  // namespace slowtoken::report
