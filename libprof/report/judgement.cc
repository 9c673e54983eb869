#include "report/judgement.h"

#include <absl/strings/str_cat.h>

#include "report/acting_thread.h"
#include "report/advice.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

std::string NotSlow(const char* what, uint64_t level_ns, const char* usual) {
  if (level_ns != 0) return absl::StrCat("it is ", what, ": not above the service level of ", Duration(level_ns));
  return absl::StrCat("it is ", what, ": not above 2.5 times ", usual);
}

}  // namespace

std::vector<std::string> JudgementLines(const v1::Finding& finding, const Judged& judged, const ExcessPhase& phase) {
  const auto cause = static_cast<record::Cause>(finding.cause() < record::kCauseCount ? finding.cause() : 0);
  const char* advice = AdviceFor(cause, static_cast<record::EvidenceKind>(finding.evidence()));
  std::vector<std::string> lines = {ExcessSentence(judged, phase), "cause: " + FindingText(finding, judged)};
  if (std::string acting = ActingThreadText(finding, phase.name); !acting.empty()) lines.push_back(std::move(acting));
  if (*advice != 0) lines.push_back(absl::StrCat("try: ", advice));
  return lines;
}

std::string FirstTokenNotSlow(const v1::ServiceLevels& levels) {
  return NotSlow("not slow", levels.ttft_ns(), "what is usual for such prompts");
}

std::string GapNoStall(const v1::ServiceLevels& levels) {
  return NotSlow("no stall", levels.itl_ns(), "the usual gap, and 5 ms");
}

}  // namespace slowtoken::report
