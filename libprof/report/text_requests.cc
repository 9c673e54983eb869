// Text sections about requests and tokens.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "record/annotation.h"
#include "record/phases.h"
#include "report/excess_text.h"
#include "report/findings.h"
#include "report/json.h"
#include "report/phase_threads.h"
#include "report/table.h"
#include "report/text_sections.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using record::TtftPhase;
using Align = Table::Align;

constexpr int kListedRequests = 5;
constexpr int kBarColumns = 24;

std::string Bar(double share) {
  std::string bar;
  const int blocks = static_cast<int>(std::lround(share * kBarColumns));
  for (int i = 0; i < blocks; ++i) bar += "█";
  return bar;
}

// A row for each phase that took time: mean, share of the whole, spread.
template <size_t N>
std::string PhaseTable(const google::protobuf::RepeatedPtrField<v1::Distribution>& phases, uint64_t whole_mean,
                       const char* const (&names)[N], const std::array<size_t, N>& time_order) {
  Table table({{"phase", Align::kLeft}, {"mean"}, {"share"}, {"p50"}, {"p90"}, {"p99"}, {"", Align::kLeft}});
  for (const size_t i : time_order) {
    if (i >= static_cast<size_t>(phases.size()) || phases[static_cast<int>(i)].mean_ns() == 0) continue;
    const v1::Distribution& phase = phases[static_cast<int>(i)];
    const double share = Share(phase.mean_ns(), whole_mean);
    table.Add({names[i], Duration(phase.mean_ns()), Percent(share), Duration(phase.p50_ns()), Duration(phase.p90_ns()),
               Duration(phase.p99_ns()), Bar(share)});
  }
  return table.Text();
}

// The textbook sum (docs/ATTRIBUTION.md §3), of the means.
std::string RollUp(const v1::Ttft& ttft) {
  const auto mean = [&](TtftPhase phase) {
    const int i = static_cast<int>(phase);
    return i < ttft.phases_size() ? ttft.phases(i).mean_ns() : 0;
  };
  const uint64_t queue = mean(TtftPhase::kQueue) + mean(TtftPhase::kKvWait) + mean(TtftPhase::kHandoff);
  const uint64_t schedule = mean(TtftPhase::kSchedule) + mean(TtftPhase::kSubmit) + mean(TtftPhase::kBacklog);
  const uint64_t prefill = mean(TtftPhase::kPrefill) + mean(TtftPhase::kPrefillWait) + mean(TtftPhase::kPreempted);
  const uint64_t sample = mean(TtftPhase::kSample) + mean(TtftPhase::kCommitWait);
  return absl::StrCat("  = queue ", Duration(queue), " + tokenize ", Duration(mean(TtftPhase::kTokenize)),
                      " + schedule ", Duration(schedule), " + prefill ", Duration(prefill), " + sample ",
                      Duration(sample), " + transport ", Duration(mean(TtftPhase::kTransport)), "\n");
}

const char* LargestPhase(const v1::RequestReport& request) {
  const auto& phases = request.ttft_phases_ns();
  const auto largest = std::max_element(phases.begin(), phases.end());
  return largest == phases.end()
             ? ""
             : record::kTtftPhaseNames[(largest - phases.begin()) % static_cast<long>(record::kTtftPhaseCount)];
}

uint64_t LargestPhaseNs(const v1::RequestReport& request) {
  const auto& phases = request.ttft_phases_ns();
  return phases.empty() ? 0 : *std::max_element(phases.begin(), phases.end());
}

void AddDistribution(Table& table, const char* name, const v1::Distribution& d) {
  table.Add({name, WithCommas(d.count()), Duration(d.mean_ns()), Duration(d.p50_ns()), Duration(d.p90_ns()),
             Duration(d.p99_ns()), Duration(d.max_ns())});
}

// Why requests stood in the queue, the longest first: "queue: kv_space 1.2 s · other 3 ms".
std::string QueueByText(const google::protobuf::RepeatedField<uint64_t>& by, const char* caption) {
  std::vector<std::pair<uint64_t, std::string>> reasons;
  for (int i = 0; i < by.size() && i < static_cast<int>(std::size(record::kWaitReasonTexts)); ++i) {
    if (by[i] != 0) reasons.emplace_back(by[i], i == 0 ? "no reason given" : record::kWaitReasonTexts[i]);
  }
  if (reasons.empty()) return "";
  std::sort(reasons.rbegin(), reasons.rend());
  return absl::StrCat("  ", caption,
                      absl::StrJoin(reasons, " · ",
                                    [](std::string* out, const auto& reason) {
                                      absl::StrAppend(out, reason.second, " ", Duration(reason.first));
                                    }),
                      "\n");
}

// What the labels mean where no GPU records tell (docs/ATTRIBUTION.md §4).
bool Told(uint32_t told, unsigned phase) { return (told >> phase & 1) != 0; }

std::string TtftCaveat(const v1::Ttft& ttft) {
  if (Told(ttft.told(), static_cast<unsigned>(TtftPhase::kBacklog))) return "";
  return "  No GPU records: prefill runs from the first own iter.forward to the start of iter.sample, sample is\n"
         "  that range, submit ends at iter.forward, backlog cannot be told\n";
}

std::string ItlCaveat(const v1::Itl& itl) {
  if (Told(itl.told(), static_cast<unsigned>(record::GapPhase::kGpuIdle))) return "";
  return "  No GPU records: gpu_busy runs from the first own iter.forward to the start of iter.sample, sample is\n"
         "  that range; collective, gpu_idle, prefill_interference and backlog cannot be told\n";
}

// What prefill of others in the same iterations cost (an estimate beside the phases, docs/ATTRIBUTION.md §4).
std::string InterferenceText(const v1::Report& report) {
  const v1::Distribution& cost = report.itl().interference();
  const uint64_t mixed = report.iterations().mixed();
  if (mixed == 0) return "";
  const std::string of = absl::StrCat(" of ", WithCommas(report.itl().step().count()), " gaps");
  if (cost.count() == 0) {
    return absl::StrCat("  prefill of others in mixed iterations (", WithCommas(mixed),
                        "): its cost is not known; no decode-only\n  iteration of the same batch size came before\n");
  }
  const double share = static_cast<double>(cost.mean_ns()) * static_cast<double>(cost.count()) /
                       static_cast<double>(std::max<uint64_t>(report.itl().interference_of_ns(), 1));
  return absl::StrCat("  prefill of others in mixed iterations, an estimate for ", WithCommas(cost.count()), of,
                      ":\n    mean ", Duration(cost.mean_ns()), " (", Percent(share), " of them) · p99 ",
                      Duration(cost.p99_ns()), "\n");
}

std::string LevelText(uint64_t over, uint64_t all, uint64_t level_ns, const char* what) {
  if (level_ns == 0 || all == 0) return "";
  return absl::StrCat("  over the service level of ", Duration(level_ns), ": ", WithCommas(over), " of ",
                      WithCommas(all), " ", what, " (", Percent(Share(over, all)), ")\n");
}

// Why its first token is slow, if it is.
std::string SlowLine(const v1::Report& report, const v1::RequestReport& request) {
  if (!request.has_slow_excess_ns()) return "";
  const Judged judged = JudgedOf(report, request);
  return absl::StrCat("  slow first token: ", ExcessSentence(judged, ExcessPhaseOf(report, request)), "\n    ",
                      FindingText(request.finding(), judged), "\n");
}

std::string RequestCaption(const v1::Report& report, const v1::RequestReport& request) {
  std::string out = absl::StrCat("\nRequest ", RequestName(request.req(), request.clear()), ": ", FinishText(request),
                                 ", ", WithCommas(request.prompt()), " prompt tokens (", WithCommas(request.cached()),
                                 " cached), ", WithCommas(request.tokens()), " generated\n");
  absl::StrAppend(&out, "  arrived at ", Duration(request.arrival_ns()), ", TTFT ",
                  request.has_ttft_ns() ? Duration(request.ttft_ns()) : "none", ", end to end ",
                  Duration(request.e2e_ns()));
  if (request.preemptions() != 0) absl::StrAppend(&out, ", preempted ", request.preemptions(), " times");
  out += request.partial() ? " (partial: not everything was seen)\n" : "\n";
  return out + SlowLine(report, request);
}

std::string RequestGaps(const v1::RequestReport& request) {
  std::vector<const v1::Gap*> gaps;
  for (const v1::Gap& gap : request.gaps()) gaps.push_back(&gap);
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const v1::Gap* a, const v1::Gap* b) { return a->gap_ns() > b->gap_ns(); });
  gaps.resize(std::min<size_t>(gaps.size(), 20));
  Table table({{"token"}, {"gap"}, {"stall", Align::kLeft}, {"phases", Align::kLeft, 60}});
  for (const v1::Gap* gap : gaps) {
    std::vector<std::pair<uint64_t, int>> phases;
    phases.reserve(static_cast<size_t>(gap->phases_ns_size()));
    for (int i = 0; i < gap->phases_ns_size(); ++i) phases.emplace_back(gap->phases_ns(i), i);
    std::sort(phases.rbegin(), phases.rend());
    std::string text;
    for (size_t i = 0; i < std::min<size_t>(phases.size(), 3) && phases[i].first != 0; ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", record::kGapPhaseNames[phases[i].second], " ",
                      Duration(phases[i].first));
    }
    table.Add({absl::StrCat(gap->n()), Duration(gap->gap_ns()),
               gap->has_stall_excess_ns() ? CauseText(gap->finding()) : "", text});
  }
  return table.empty() ? "" : absl::StrCat("\nLongest of its ", request.gaps_size(), " gaps\n", table.Text());
}

}  // namespace

std::string TtftText(const v1::Report& report) {
  const v1::Ttft& ttft = report.ttft();
  if (ttft.all().count() == 0) return "";
  return absl::StrCat("\nTTFT (", WithCommas(ttft.all().count()), " requests): ", SpreadText(ttft.all()), "\n",
                      LevelText(ttft.over_level(), ttft.all().count(), report.levels().ttft_ns(), "requests"),
                      PhaseTable(ttft.phases(), ttft.all().mean_ns(), record::kTtftPhaseNames, record::kTtftTimeOrder),
                      RollUp(ttft), QueueByText(ttft.queue_by_mean_ns(), "queue by reason, mean: "), TtftCaveat(ttft),
                      PhaseThreadsText(ttft.threads(), record::kTtftPhaseNames, record::kTtftTimeOrder));
}

std::string ItlText(const v1::Report& report) {
  const v1::Itl& itl = report.itl();
  if (itl.step().count() == 0) return "";
  Table table({{"per", Align::kLeft}, {"count"}, {"mean"}, {"p50"}, {"p90"}, {"p99"}, {"max"}});
  AddDistribution(table, "step", itl.step());
  AddDistribution(table, "token", itl.token());
  return absl::StrCat(
      "\nInter-token latency (a step is one emission, of one or more tokens)\n", table.Text(),
      LevelText(static_cast<uint64_t>(report.stalls_size()), itl.step().count(), report.levels().itl_ns(), "gaps"),
      "\n", PhaseTable(itl.phases(), itl.step().mean_ns(), record::kGapPhaseNames, record::kGapTimeOrder),
      InterferenceText(report), ItlCaveat(itl),
      PhaseThreadsText(itl.threads(), record::kGapPhaseNames, record::kGapTimeOrder));
}

std::string DefinitionText(const v1::Report& report) {
  if (!report.has_by_definition()) return "";
  const v1::ByDefinition& by = report.by_definition();
  Table table({{"", Align::kLeft}, {"count"}, {"mean"}, {"p50"}, {"p90"}, {"p99"}, {"max"}});
  AddDistribution(table, "TTFT", by.ttft());
  if (by.itl().count() != 0) AddDistribution(table, "ITL", by.itl());
  if (by.tpot().count() != 0) AddDistribution(table, "TPOT", by.tpot());
  return absl::StrCat("\nAs ", by.definition(), " defines it\n", table.Text(), "  (", by.note(), ")\n");
}

std::string SlowestText(const v1::Report& report) {
  std::vector<const v1::RequestReport*> slowest;
  for (const v1::RequestReport& request : report.requests()) {
    if (request.has_ttft_ns()) slowest.push_back(&request);
  }
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const auto* a, const auto* b) { return a->ttft_ns() > b->ttft_ns(); });
  slowest.resize(std::min<size_t>(slowest.size(), kListedRequests));
  Table table({{"request", Align::kLeft, 24},
               {"at"},
               {"TTFT"},
               {"largest phase", Align::kLeft},
               {""},
               {"end to end"},
               {"prompt"},
               {"tokens"},
               {"", Align::kLeft}});
  for (const v1::RequestReport* request : slowest) {
    table.Add({RequestName(request->req(), request->clear()), Duration(request->arrival_ns()),
               Duration(request->ttft_ns()), LargestPhase(*request), Duration(LargestPhaseNs(*request)),
               Duration(request->e2e_ns()), WithCommas(request->prompt()), WithCommas(request->tokens()),
               request->has_slow_excess_ns() ? "slow" : ""});
  }
  return table.empty() ? "" : "\nSlowest first tokens\n" + table.Text();
}

std::string OneRequestText(const v1::Report& report) {
  if (report.requests().empty()) return "\nThe request is not in this trace\n";
  const v1::RequestReport& request = report.requests(0);
  Table table({{"phase", Align::kLeft}, {"time"}, {"share"}, {"", Align::kLeft}});
  for (const size_t i : record::kTtftTimeOrder) {
    if (i >= static_cast<size_t>(request.ttft_phases_ns_size())) continue;
    const uint64_t ns = request.ttft_phases_ns(static_cast<int>(i));
    if (ns != 0)
      table.Add({record::kTtftPhaseNames[i], Duration(ns), Percent(Share(ns, request.ttft_ns())),
                 Bar(Share(ns, request.ttft_ns()))});
  }
  const std::string ttft = table.empty() ? "" : "\nTime to first token\n" + table.Text();
  return absl::StrCat(RequestCaption(report, request), ttft, QueueByText(request.queue_by_ns(), "queue by reason: "),
                      RequestGaps(request));
}

}  // namespace slowtoken::report
