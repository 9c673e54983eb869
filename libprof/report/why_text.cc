#include "report/why_text.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "record/phases.h"
#include "report/excess_text.h"
#include "report/findings.h"
#include "report/iteration_rows.h"
#include "report/json.h"
#include "report/judgement.h"
#include "report/phase_steps.h"
#include "report/table.h"
#include "report/thread_label.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;

constexpr size_t kMostThreads = 8, kMostStepKernels = 5;
constexpr int kWaterfallColumns = 40;

// A bar that stands where its phase does: phases come one after the other, in the order in which they usually happen.
std::string WaterfallBar(uint64_t before, uint64_t ns, uint64_t whole) {
  const auto column = [&](uint64_t at) {
    return static_cast<int>(std::lround(static_cast<double>(at) / static_cast<double>(whole) * kWaterfallColumns));
  };
  const int from = std::min(column(before), kWaterfallColumns - 1), to = std::max(column(before + ns), from + 1);
  std::string bar(static_cast<size_t>(from), ' ');
  for (int i = from; i < to; ++i) bar += "█";
  return bar;
}

template <size_t N>
std::string Waterfall(const google::protobuf::RepeatedField<uint64_t>& phases, uint64_t whole,
                      const char* const (&names)[N]) {
  if (whole == 0) return "";
  Table table({{"phase", Align::kLeft}, {"time"}, {"", Align::kLeft}});
  for (const PhaseStep& step : PhaseSteps(phases, names))
    table.Add({step.phase, Duration(step.ns), WaterfallBar(step.start_ns, step.ns, whole)});
  return "\nWhere the time went\n" + table.Text();
}

std::string Indented(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) absl::StrAppend(&out, "  ", line, "\n");
  return out;
}

std::string IterationsText(const Moment& moment) {
  Table table({{"iteration"},
               {"at"},
               {"length"},
               {"GPU"},
               {"kind", Align::kLeft},
               {"it", Align::kLeft},
               {kIterationRowsWith, Align::kLeft, 44}});
  const IterationRows iterations = IterationRowsOf(moment);
  for (const IterationRow& row : iterations.rows) {
    table.Add({absl::StrCat(row.iter), Duration(row.at_ns), Duration(row.length_ns), Duration(row.gpu_ns), row.kind,
               row.own, row.with});
  }
  if (table.empty()) return "\nNo iteration was seen in this time\n";
  const std::string cut = iterations.all > table.size() ? absl::StrCat(" (the first ", table.size(), ")") : "";
  return absl::StrCat("\nIterations meanwhile", cut, "\n", table.Text());
}

std::string GpuText(Moment& moment) {
  const uint64_t whole = moment.window().end - moment.window().start;
  const uint64_t busy = moment.GpuBusyNs();
  std::string out = absl::StrCat("\nGPU: busy for ", Duration(busy), " of ", Duration(whole), "\n");
  Table table({{"time"}, {"kernel", Align::kLeft, 60}});
  for (const auto& [name, ns] : moment.TopKernels()) {
    table.Add({Duration(ns), name});
    if (table.size() == kMostStepKernels) break;
  }
  if (!table.empty()) out += table.Text();
  Table captured({{"time"}, {"inside graph replays, captured in", Align::kLeft, 60}});
  for (const auto& [path, ns] : moment.TopCapturedRanges()) {
    captured.Add({Duration(ns), path});
    if (captured.size() == kMostStepKernels) break;
  }
  return captured.empty() ? out : out + captured.Text();
}

std::string ThreadsText(const Moment& moment) {
  const uint64_t whole = moment.window().end - moment.window().start;
  std::vector<std::pair<Moment::ThreadKey, const Moment::Thread*>> busiest;
  for (const auto& [key, thread] : moment.threads()) {
    if (!thread.ranges.empty()) busiest.emplace_back(key, &thread);
  }
  const auto most = [](const Moment::Thread& thread) {
    uint64_t longest = 0;
    for (const auto& [name, ns] : thread.ranges) longest = std::max(longest, ns);
    return longest;
  };
  std::stable_sort(busiest.begin(), busiest.end(),
                   [&](const auto& a, const auto& b) { return most(*a.second) > most(*b.second); });
  busiest.resize(std::min(busiest.size(), kMostThreads));
  Table table({{"thread"}, {"name", Align::kLeft}, {"role", Align::kLeft}, {"on CPU"}, {"did", Align::kLeft, 52}});
  bool pseudonyms = false;
  for (const auto& [key, thread] : busiest) {
    std::vector<std::pair<uint64_t, std::string>> ranges;
    for (const auto& [name, ns] : thread->ranges) ranges.emplace_back(ns, name);
    std::sort(ranges.rbegin(), ranges.rend());
    std::string did;
    for (size_t i = 0; i < std::min<size_t>(ranges.size(), 3); ++i)
      absl::StrAppend(&did, i == 0 ? "" : ", ", ranges[i].second, " ", Duration(ranges[i].first));
    const uint64_t off = std::min(thread->off_ns, whole);
    pseudonyms |= IsPseudonym(thread->name);
    table.Add({absl::StrCat(key.second), thread->name, ShortRole(moment.RoleOf(key)),
               thread->watched ? Duration(whole - off) : "?", did});
  }
  return table.empty() ? "" : absl::StrCat("\nThreads\n", table.Text(), pseudonyms ? kNamesInTheClear : "");
}

std::string Around(Moment& moment) {
  return absl::StrCat(IterationsText(moment), GpuText(moment), ThreadsText(moment));
}

std::string NextSteps(const v1::Finding& finding) {
  return absl::StrCat("\nHow to confirm it, and what helps: docs/NEXT_STEPS.md, ", CauseText(finding), "\n");
}

std::string FirstTokenText(const v1::Report& report, const v1::RequestReport& request) {
  std::string out = absl::StrCat(
      "Request ", RequestName(request.req(), request.clear()), ", first token: ", Duration(request.ttft_ns()),
      " (median ", Duration(report.ttft().all().p50_ns()), "), ", WithCommas(request.prompt()), " prompt tokens\n");
  if (request.has_slow_excess_ns()) {
    out += Indented(JudgementLines(request.finding(), JudgedOf(report, request), ExcessPhaseOf(report, request)));
  } else {
    out += Indented({FirstTokenNotSlow(report.levels())});
  }
  return out + Waterfall(request.ttft_phases_ns(), request.ttft_ns(), record::kTtftPhaseNames);
}

std::string GapText(const v1::Report& report, const v1::RequestReport& request, const v1::Gap& gap) {
  std::string out = absl::StrCat("Request ", RequestName(request.req(), request.clear()), ", token ", gap.n(), ": ",
                                 Duration(gap.gap_ns()), " after the one before (median ",
                                 Duration(report.itl().step().p50_ns()), ")\n");
  if (gap.has_stall_excess_ns()) {
    out += Indented(JudgementLines(gap.finding(), JudgedOf(report, gap), ExcessPhaseOf(report, gap)));
  } else {
    out += Indented({GapNoStall(report.levels())});
  }
  return out + Waterfall(gap.phases_ns(), gap.gap_ns(), record::kGapPhaseNames);
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
  Part part{request.arrival_ns(), request.arrival_ns() + request.ttft_ns()};
  if (question.first_token) return part;
  const v1::Gap* asked = GapOf(request, question.n);
  for (const v1::Gap& gap : request.gaps()) {
    part = {part.end_ns, part.end_ns + gap.gap_ns()};
    if (&gap == asked) break;
  }
  return part;
}

std::string WhyText(const v1::Report& report, const Question& question, Moment& moment) {
  const v1::RequestReport& request = report.requests(0);
  const v1::Gap* gap = question.first_token ? nullptr : GapOf(request, question.n);
  const bool slow = gap == nullptr ? request.has_slow_excess_ns() : gap->has_stall_excess_ns();
  const v1::Finding& finding = gap == nullptr ? request.finding() : gap->finding();
  return absl::StrCat(gap == nullptr ? FirstTokenText(report, request) : GapText(report, request, *gap), Around(moment),
                      slow ? NextSteps(finding) : "");
}

}  // namespace slowtoken::report
