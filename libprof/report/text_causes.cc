// Text sections about causes: of stalls and of slow first tokens.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

#include "record/phases.h"
#include "report/cause_tally.h"
#include "report/findings.h"
#include "report/json.h"
#include "report/table.h"
#include "report/text_sections.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;

constexpr size_t kWorst = 5;

std::string TallyText(const CauseTally& tally, const char* what) {
  Table table({{"cause", Align::kLeft}, {what}, {"surely"}, {"longer than usual by"}});
  for (const CauseTally::Row& row : tally.Rows())
    table.Add({row.cause, WithCommas(row.count), WithCommas(row.sure), Duration(row.excess_ns)});
  return table.Text();
}

// "ab12… token 17 at 3.2 s, 41 ms, schedule +30 ms", and below it the cause with its evidence.
std::string WorstLine(const std::string& who, uint64_t took, uint64_t excess, const char* phase,
                      const v1::Finding& finding) {
  const std::string evidence = EvidenceSentence(finding);
  const bool unsure = finding.confidence() == static_cast<uint32_t>(record::Confidence::kLow);
  return absl::StrCat("  ", who, ", ", Duration(took), ", ", phase, " +", Duration(excess), "\n    ",
                      CauseText(finding), evidence.empty() ? "" : ": ", evidence, unsure ? " (not sure)" : "", "\n");
}

}  // namespace

std::string StallsText(const v1::Report& report) {
  if (report.itl().step().count() == 0) return "";
  if (report.stalls().empty()) return "\nStalls: none\n";
  CauseTally tally;
  std::vector<const v1::Stall*> worst;
  for (const v1::Stall& stall : report.stalls()) {
    tally.Add(stall.finding(), stall.excess_ns());
    worst.push_back(&stall);
  }
  const auto stalls = static_cast<uint64_t>(worst.size());
  std::stable_sort(worst.begin(), worst.end(),
                   [](const auto* a, const auto* b) { return a->excess_ns() > b->excess_ns(); });
  worst.resize(std::min(worst.size(), kWorst));
  const double share = static_cast<double>(stalls) / static_cast<double>(report.itl().step().count());
  std::string out =
      absl::StrCat("\nStalls: ", WithCommas(stalls), stalls == 1 ? " gap" : " gaps", " over the threshold (",
                   Percent(share), " of gaps)\n", TallyText(tally, "stalls"), "\nWorst stalls\n");
  for (const v1::Stall* stall : worst) {
    const std::string who = absl::StrCat(RequestName(stall->req(), stall->clear()), " token ", stall->n(), " at ",
                                         Duration(stall->start_ns()));
    out += WorstLine(who, stall->gap_ns(), stall->excess_ns(),
                     record::kGapPhaseNames[stall->largest_phase() % record::kGapPhaseCount], stall->finding());
  }
  return out;
}

std::string SlowFirstText(const v1::Report& report) {
  CauseTally tally;
  std::vector<const v1::RequestReport*> worst;
  uint64_t answered = 0;
  for (const v1::RequestReport& request : report.requests()) {
    if (request.has_ttft_ns()) ++answered;
    if (!request.has_slow_excess_ns()) continue;
    tally.Add(request.finding(), request.slow_excess_ns());
    worst.push_back(&request);
  }
  if (answered == 0) return "";
  if (worst.empty()) return "\nSlow first tokens: none\n";
  const auto slow = static_cast<uint64_t>(worst.size());
  std::stable_sort(worst.begin(), worst.end(),
                   [](const auto* a, const auto* b) { return a->slow_excess_ns() > b->slow_excess_ns(); });
  worst.resize(std::min(worst.size(), kWorst));
  std::string out = absl::StrCat("\nSlow first tokens: ", WithCommas(slow), " of ", WithCommas(answered), "\n",
                                 TallyText(tally, "requests"), "\nWorst of them\n");
  for (const v1::RequestReport* request : worst) {
    const std::string who =
        absl::StrCat(RequestName(request->req(), request->clear()), " at ", Duration(request->arrival_ns()));
    out += WorstLine(who, request->ttft_ns(), request->slow_excess_ns(),
                     record::kTtftPhaseNames[request->largest_phase() % record::kTtftPhaseCount], request->finding());
  }
  return out;
}

}  // namespace slowtoken::report
