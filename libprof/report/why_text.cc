#include "report/why_text.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

#include "record/phases.h"
#include "report/excess_text.h"
#include "report/findings.h"
#include "report/json.h"
#include "report/judgement.h"
#include "report/phase_steps.h"
#include "report/units.h"
#include "report/wall_clock.h"
#include "report/why_sections.h"

namespace slowtoken::report {
namespace {

template <size_t N>
std::string Waterfall(const Moment& moment, uint32_t n, const google::protobuf::RepeatedField<uint64_t>& phases,
                      uint64_t whole, const char* const (&names)[N], const std::array<size_t, N>& time_order) {
  return WaterfallText(PhaseSteps(phases, names, time_order), whole, moment, n);
}

std::string Indented(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) absl::StrAppend(&out, "  ", line, "\n");
  return out;
}

std::string NextSteps(const v1::Finding& finding) {
  return absl::StrCat("\nHow to confirm it, and what helps: docs/NEXT_STEPS.md, ", CauseText(finding), "\n");
}

std::string Title(const v1::RequestReport& request) {
  return absl::StrCat("Request ", RequestName(request.req(), request.clear()), ", ");
}

std::string When(const v1::Report& report, const Moment& moment) {
  const uint64_t origin = report.origin().monotonic_ns();
  return absl::StrCat("  ",
                      WhenText(report.origin(), moment.window().start - std::min(moment.window().start, origin),
                               moment.window().end - std::min(moment.window().end, origin)),
                      "\n");
}

std::string PromptText(const v1::RequestReport& request) {
  return request.prompt() == 0 ? "" : absl::StrCat(", ", WithCommas(request.prompt()), " prompt tokens");
}

std::string NoFirstTokenText(const v1::Report& report, const v1::RequestReport& request, const Moment& moment,
                             const WhyOptions& options) {
  const std::string ended =
      request.ended() ? absl::StrCat(FinishText(request), " after ") : "it was not over when the trace ended, after ";
  return absl::StrCat(Title(request), "no first token was seen: ", ended,
                      Duration(moment.window().end - moment.window().start), PromptText(request), "\n",
                      When(report, moment), LifeText(moment, options));
}

std::string FirstTokenText(const v1::Report& report, const v1::RequestReport& request, const Moment& moment) {
  std::string out =
      absl::StrCat(Title(request), "first token: ", Duration(request.ttft_ns()), " (median of the run ",
                   Duration(report.ttft().all().p50_ns()), ")", PromptText(request), "\n", When(report, moment));
  if (request.has_slow_excess_ns()) {
    out += Indented(JudgementLines(request.finding(), JudgedOf(report, request), ExcessPhaseOf(report, request)));
  } else {
    out += Indented({FirstTokenNotSlow(report.levels())});
  }
  return out + Waterfall(moment, 0, request.ttft_phases_ns(), request.ttft_ns(), record::kTtftPhaseNames,
                         record::kTtftTimeOrder);
}

std::string GapText(const v1::Report& report, const v1::RequestReport& request, const v1::Gap& gap,
                    const Moment& moment) {
  std::string out = absl::StrCat(Title(request), "token ", gap.n(), ": ", Duration(gap.gap_ns()),
                                 " after the one before (median of the run ", Duration(report.itl().step().p50_ns()),
                                 ")\n", When(report, moment));
  if (gap.has_stall_excess_ns()) {
    out += Indented(JudgementLines(gap.finding(), JudgedOf(report, gap), ExcessPhaseOf(report, gap)));
  } else {
    out += Indented({GapNoStall(report.levels())});
  }
  return out + Waterfall(moment, gap.n(), gap.phases_ns(), gap.gap_ns(), record::kGapPhaseNames, record::kGapTimeOrder);
}

std::string Around(const Moment& moment, const WhyOptions& options) {
  return absl::StrCat(IterationsText(moment, options), GpuText(moment, options), ThreadsText(moment, options),
                      WorkText(moment, options));
}

}  // namespace

const v1::Gap* GapOf(const v1::RequestReport& request, uint32_t n) {
  for (const v1::Gap& gap : request.gaps()) {
    if (n <= gap.n() && n + std::max(gap.n_new(), 1u) > gap.n()) return &gap;
  }
  return nullptr;
}

Question WorstOf(const v1::RequestReport& request) {
  if (request.has_slow_excess_ns() || request.gaps().empty()) return {.first_token = true};
  const auto worst = std::max_element(request.gaps().begin(), request.gaps().end(), [](const auto& a, const auto& b) {
    if (a.stall_excess_ns() != b.stall_excess_ns()) return a.stall_excess_ns() < b.stall_excess_ns();
    return a.gap_ns() < b.gap_ns();
  });
  return {.n = worst->n()};
}

Part PartOf(const v1::RequestReport& request, const Question& question) {
  Part part{request.arrival_ns(),
            request.arrival_ns() + (request.has_ttft_ns() ? request.ttft_ns() : request.e2e_ns())};
  if (question.first_token) return part;
  const v1::Gap* asked = GapOf(request, question.n);
  for (const v1::Gap& gap : request.gaps()) {
    part = {part.end_ns, part.end_ns + gap.gap_ns()};
    if (&gap == asked) break;
  }
  return part;
}

std::string WhyText(const v1::Report& report, const Question& question, const Moment& moment, const Waiters& waiters,
                    const WhyOptions& options) {
  const v1::RequestReport& request = report.requests(0);
  const v1::Gap* gap = question.first_token ? nullptr : GapOf(request, question.n);
  if (gap != nullptr) {
    return absl::StrCat(GapText(report, request, *gap, moment), Around(moment, options),
                        gap->has_stall_excess_ns() ? NextSteps(gap->finding()) : "");
  }
  return absl::StrCat(request.has_ttft_ns() ? FirstTokenText(report, request, moment)
                                            : NoFirstTokenText(report, request, moment, options),
                      WaitersText(waiters, report.origin(), moment, options), Around(moment, options),
                      request.has_slow_excess_ns() ? NextSteps(request.finding()) : "");
}

}  // namespace slowtoken::report
