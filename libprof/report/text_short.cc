// The section "In short" of the text report: what stands out, and by which levels it was judged.
#include <absl/strings/str_cat.h>

#include "report/cause_tally.h"
#include "report/findings.h"
#include "report/level_words.h"
#include "report/moment_tally.h"
#include "report/text_sections.h"
#include "report/units.h"
#include "report/why_command.h"

namespace slowtoken::report {
namespace {

std::string WhyLine(const Options& options, uint64_t req, const std::string& clear, uint32_t token) {
  return absl::StrCat("    ", WhyCommandOf(options.why, req, clear, token), "\n");
}

std::string LostText(uint64_t part, uint64_t whole, const char* cause) {
  if (part == whole) return absl::StrCat("; all of the time lost (", Duration(whole), ") by ", cause);
  return absl::StrCat("; ", part >= whole - whole / 2 ? "most" : "the largest part", " of the time lost (",
                      Duration(part), " of ", Duration(whole), ") by ", cause);
}

// The longest gap, where it is none of those that cost most: one user remembers it.
std::string LongestGap(const v1::Report& report, const v1::Stall& named, const Options& options) {
  constexpr uint64_t kMuchLonger = 2;  // times the gap that was named
  const v1::Stall* longest = &named;
  for (const v1::Stall& stall : report.stalls()) {
    if (!stall.few_samples() && stall.gap_ns() > longest->gap_ns()) longest = &stall;
  }
  if (longest->gap_ns() < kMuchLonger * named.gap_ns()) return "";
  return absl::StrCat("  the longest gap took ", Duration(longest->gap_ns()), ": ", CauseText(longest->finding()), "\n",
                      WhyLine(options, longest->req(), longest->clear(), longest->n()));
}

std::string StallsInShort(const v1::Report& report, const Options& options, const TextStyle& style) {
  const uint64_t gaps = report.itl().step().count();
  if (gaps == 0) return "";
  const auto stalls = static_cast<uint64_t>(report.stalls_size());
  if (stalls == 0) return absl::StrCat("  no gap stalled, of ", WithCommas(gaps), "\n");
  const MomentTally tally(report);
  const double share = static_cast<double>(stalls) / static_cast<double>(gaps);
  std::string line = absl::StrCat(WithCommas(stalls), " of ", WithCommas(gaps), " gaps stalled (", Percent(share),
                                  "), in ", Counted(static_cast<uint64_t>(report.stall_moments_size()), "moment"));
  if (tally.first_gaps() != 0) {
    absl::StrAppend(&line, "; ", tally.first_gaps() == stalls ? "all" : WithCommas(tally.first_gaps()),
                    " of these gaps are among the first of the run, when nothing was usual yet");
  }
  if (tally.first_gaps() != stalls)
    absl::StrAppend(&line, LostText(tally.Rows()[0].lost_ns, tally.lost_ns(), tally.Rows()[0].cause));
  const v1::Stall& worst = tally.Foremost(report);
  return absl::StrCat("  ", Wrap(line, 4, style), WhyLine(options, worst.req(), worst.clear(), worst.n()),
                      LongestGap(report, worst, options));
}

// Of the slow first tokens with this cause the one that lost most. There is one.
const v1::RequestReport& WorstOf(const v1::Report& report, std::string_view cause) {
  const v1::RequestReport* worst = nullptr;
  for (const v1::RequestReport& request : report.requests()) {
    if (!request.has_slow_excess_ns() || CauseText(request.finding()) != cause) continue;
    if (worst == nullptr || request.slow_excess_ns() > worst->slow_excess_ns()) worst = &request;
  }
  return *worst;
}

std::string FirstTokensInShort(const v1::Report& report, const Options& options, const TextStyle& style) {
  CauseTally tally;
  uint64_t answered = 0, slow = 0, lost = 0;
  for (const v1::RequestReport& request : report.requests()) {
    if (request.has_ttft_ns()) ++answered;
    if (!request.has_slow_excess_ns()) continue;
    ++slow;
    lost += request.slow_excess_ns();
    tally.Add(request.finding(), request.slow_excess_ns());
  }
  if (answered == 0) return "";
  if (slow == 0) return absl::StrCat("  no first token was slow, of ", WithCommas(answered), "\n");
  const double share = static_cast<double>(slow) / static_cast<double>(answered);
  const CauseTally::Row costliest = tally.Rows()[0];
  const std::string line =
      absl::StrCat(WithCommas(slow), " of ", Counted(answered, "first token"), slow == 1 ? " was" : " were", " slow (",
                   Percent(share), ")", LostText(costliest.excess_ns, lost, costliest.cause));
  const v1::RequestReport& worst = WorstOf(report, costliest.cause);
  return "  " + Wrap(line, 4, style) + WhyLine(options, worst.req(), worst.clear(), 1);
}

}  // namespace

std::string InShortText(const v1::Report& report, const Options& options, const TextStyle& style) {
  std::string said = StallsInShort(report, options, style) + FirstTokensInShort(report, options, style);
  if (!said.empty()) said += Wrap(absl::StrCat("  judged by ", LevelWords(report.levels())), 4, style);
  if (said.empty() && !report.launch_gaps().findings().empty())
    said = "  " + Wrap(report.launch_gaps().findings(0).text(), 4, style);
  return said.empty() ? "" : "\nIn short\n" + said;
}

}  // namespace slowtoken::report
