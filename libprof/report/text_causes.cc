// Text sections about causes: of stalls and of slow first tokens.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

#include "record/phases.h"
#include "report/cause_tally.h"
#include "report/findings.h"
#include "report/json.h"
#include "report/moment_tally.h"
#include "report/table.h"
#include "report/text_sections.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;

constexpr size_t kWorst = 5;

std::string TallyText(const CauseTally& tally, const char* what) {
  Table table({{"cause", Align::kLeft}, {what}, {"surely"}, {"time lost"}});
  for (const CauseTally::Row& row : tally.Rows())
    table.Add({row.cause, WithCommas(row.count), WithCommas(row.sure), Duration(row.excess_ns)});
  return table.Text();
}

// "ab12… token 17 at 3.2 s, 41 ms, schedule +30 ms", and below it the cause with its evidence.
std::string WorstLine(const std::string& who, const Judged& judged, const char* phase, const std::string& more,
                      const v1::Finding& finding, const TextStyle& style) {
  const std::string line =
      absl::StrCat(who, ", ", Duration(judged.took_ns), ", ", phase, " +", Duration(judged.excess_ns), more);
  return absl::StrCat("  ", Wrap(line, 4, style), "    ", Wrap(FindingText(finding, judged), 6, style));
}

std::string MomentsText(const MomentTally& tally) {
  Table table({{"cause", Align::kLeft}, {"moments"}, {"gaps"}, {"requests"}, {"surely"}, {"time lost"}});
  for (const MomentTally::Row& row : tally.Rows()) {
    table.Add({row.few_samples ? absl::StrCat(row.cause, ", first gaps") : row.cause, WithCommas(row.moments),
               WithCommas(row.gaps), WithCommas(row.requests.size()), WithCommas(row.sure),
               row.few_samples ? "" : Duration(row.lost_ns)});
  }
  return table.Text();
}

std::string WorstMoment(const v1::StallMoment& moment, const v1::Report& report, const TextStyle& style) {
  const v1::Stall& stall = report.stalls(static_cast<int>(moment.worst()));
  const std::string who =
      absl::StrCat(RequestName(stall.req(), stall.clear()), " token ", stall.n(), " at ", Duration(stall.start_ns()));
  const std::string more = moment.stalls_size() == 1 ? ""
                                                     : absl::StrCat("; ", moment.stalls_size(), " gaps of ",
                                                                    Counted(moment.requests(), "request"));
  return WorstLine(who, JudgedOf(report, stall), record::kGapPhaseNames[stall.largest_phase() % record::kGapPhaseCount],
                   more, stall.finding(), style);
}

constexpr const char* kFirstGaps =
    "first gaps: fewer than 8 gaps had been seen, so that nothing was usual yet and 5 ms was the threshold";

}  // namespace

std::string StallsText(const v1::Report& report, const TextStyle& style) {
  if (report.itl().step().count() == 0) return "";
  if (report.stalls().empty()) return "\nStalls: none\n";
  const MomentTally tally(report);
  const auto stalls = static_cast<uint64_t>(report.stalls_size());
  const double share = static_cast<double>(stalls) / static_cast<double>(report.itl().step().count());
  std::string out =
      absl::StrCat("\nStalls: ", Counted(stalls, "gap"), " over the threshold (", Percent(share), " of gaps), in ",
                   Counted(static_cast<uint64_t>(report.stall_moments_size()), "moment"), "\n", MomentsText(tally));
  if (tally.first_gaps() != 0) absl::StrAppend(&out, "  ", Wrap(kFirstGaps, 4, style));
  absl::StrAppend(&out, "\nWorst moments\n");
  const std::vector<const v1::StallMoment*>& worst = tally.Worst();
  for (size_t i = 0; i < std::min(worst.size(), kWorst); ++i) out += WorstMoment(*worst[i], report, style);
  return out;
}

std::string SlowFirstText(const v1::Report& report, const TextStyle& style) {
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
    out += WorstLine(who, JudgedOf(report, *request),
                     record::kTtftPhaseNames[request->largest_phase() % record::kTtftPhaseCount], "",
                     request->finding(), style);
  }
  return out;
}

}  // namespace slowtoken::report
