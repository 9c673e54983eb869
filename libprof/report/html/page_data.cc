// What the page shows, as JSON.
#include <algorithm>

#include "record/phases.h"
#include "report/advice.h"
#include "report/cause_tally.h"
#include "report/collectives.h"
#include "report/excess_text.h"
#include "report/findings.h"
#include "report/graph_section.h"
#include "report/html/page.h"
#include "report/html/request_columns.h"
#include "report/iteration_rows.h"
#include "report/json.h"
#include "report/json_sections.h"
#include "report/level_words.h"
#include "report/moment_tally.h"
#include "report/process_name.h"

namespace slowtoken::report::html {
namespace {

constexpr int kMostKernelRows = 100, kMostSpans = 500;

// The first `most` elements and how many there are.
template <typename Elements, typename ToJson>
void AddList(Json& out, const char* name, const Elements& elements, int most, ToJson to_json) {
  Json list = Json::array();
  for (int i = 0; i < std::min(elements.size(), most); ++i) list.push_back(to_json(elements[i]));
  out[name] = std::move(list);
  out["totals"][name] = elements.size();
}

Json ReportJson(const v1::Report& report) {
  Json out = WholeJson(report);
  out["totals"] = Json::object();
  out["iterations"] = IterationsJson(report.iterations());
  AddList(out, "ranks", report.ranks(), kMostSpans, RankJson);
  AddList(out, "devices", report.devices(), kMostSpans, DeviceJson);
  AddList(out, "kernels", report.kernels(), kMostKernelRows, KernelJson);
  AddList(out, "kernel_categories", report.kernel_categories(), kMostSpans, KernelCategoryJson);
  AddList(out, "triggers", report.triggers(), kMostSpans, TriggerJson);
  AddList(out, "detail", report.detail(), kMostSpans, DetailJson);
  return out;
}

Json TallyJson(const CauseTally& tally) {
  Json out = Json::array();
  for (const CauseTally::Row& row : tally.Rows())
    out.push_back({{"cause", row.cause}, {"count", row.count}, {"sure", row.sure}, {"excess_ns", row.excess_ns}});
  return out;
}

Json MomentTallyJson(const MomentTally& tally) {
  Json out = Json::array();
  for (const MomentTally::Row& row : tally.Rows()) {
    out.push_back({{"cause", row.cause},
                   {"few_samples", row.few_samples},
                   {"moments", row.moments},
                   {"count", row.gaps},
                   {"requests", row.requests.size()},
                   {"sure", row.sure},
                   {"excess_ns", row.lost_ns}});
  }
  return out;
}

Json CausesJson(const v1::Report& report) {
  CauseTally first_tokens;
  for (const v1::RequestReport& request : report.requests()) {
    if (request.has_slow_excess_ns()) first_tokens.Add(request.finding(), request.slow_excess_ns());
  }
  return {{"stalls", MomentTallyJson(MomentTally(report))}, {"first_tokens", TallyJson(first_tokens)}};
}

Json FindingJson(const v1::Finding& finding, const Judged& judged) {
  const auto cause = static_cast<record::Cause>(finding.cause() < record::kCauseCount ? finding.cause() : 0);
  return {{"cause", CauseText(finding)},
          {"confidence", ConfidenceText(finding)},
          {"sentence", EvidenceSentence(finding)},
          {"doubt", DoubtText(finding, judged)},
          {"few_samples", judged.few_samples},
          {"advice", AdviceFor(cause, static_cast<record::EvidenceKind>(finding.evidence()))}};
}

std::string ExcessOf(const v1::Report& report, const v1::Stall& stall, const PageEvents& events) {
  const PageEvents::Phases* phases = events.PhasesOfStall(stall.req(), stall.n());
  return ExcessSentence(JudgedOf(report, stall),
                        ExcessPhaseOf(report, stall, phases == nullptr ? record::GapPhases{} : phases->ns));
}

std::string ExcessOf(const v1::Report& report, const v1::RequestReport& slow) {
  return ExcessSentence(JudgedOf(report, slow), ExcessPhaseOf(report, slow));
}

Json PhasesOfStall(const v1::Stall& stall, const PageEvents& events) {
  const PageEvents::Phases* phases = events.PhasesOfStall(stall.req(), stall.n());
  if (phases == nullptr) return Json::object();
  return PhasesJson({phases->ns.begin(), phases->ns.end()}, phases->told, record::kGapPhaseNames);
}

// What the text report says of them, and what the ranks are called.
Json CollectivesWords(const v1::Report& report) {
  Json out = {{"sentences", CollectivesSentences(report)}, {"ranks", Json::array()}};
  for (const v1::Rank& rank : report.ranks()) out["ranks"].push_back(RankName(rank, report));
  return out;
}

// Why graphs are opaque, by the reasons there are.
Json OpaqueWords(const v1::Graphs& graphs) {
  Json out = Json::object();
  for (const v1::OpaqueGraphs& opaque : graphs.opaque()) out[opaque.reason()] = OpaqueText(opaque.reason());
  return out;
}

Json SlowTokenJson(const SlowToken& token, const v1::Report& report, const PageEvents& events) {
  Json out = {{"window", token.window ? Json(*token.window) : Json()},
              {"start_ns", token.start_ns()},
              {"took_ns", token.took_ns()},
              {"excess_ns", token.excess_ns()},
              {"lost_ns", token.lost_ns},
              {"head", token.head}};
  if (token.stall != nullptr) {
    out["kind"] = "gap";
    out["req"] = RequestName(token.req(), token.stall->clear());
    out["n"] = token.stall->n();
    out["overlaps_blind"] = token.stall->overlaps_blind();
    out["largest_phase"] = record::kGapPhaseNames[token.stall->largest_phase() % record::kGapPhaseCount];
    out["phases"] = PhasesOfStall(*token.stall, events);
    out["excess"] = ExcessOf(report, *token.stall, events);
    out.update(FindingJson(token.stall->finding(), JudgedOf(report, *token.stall)));
  } else {
    out["kind"] = "first";
    out["req"] = RequestName(token.req(), token.first->clear());
    out["n"] = 1;
    out["overlaps_blind"] = token.first->overlaps_blind();
    out["largest_phase"] = record::kTtftPhaseNames[token.first->largest_phase() % record::kTtftPhaseCount];
    out["phases"] = PhasesJson(token.first->ttft_phases_ns(), token.first->ttft_told(), record::kTtftPhaseNames);
    out["excess"] = ExcessOf(report, *token.first);
    out.update(FindingJson(token.first->finding(), JudgedOf(report, *token.first)));
  }
  return out;
}

Json SlowJson(const v1::Report& report, const SlowTokens& slow, const PageEvents& events) {
  const auto or_null = [](std::optional<size_t> place) { return place ? Json(*place) : Json(); };
  Json list = Json::array();
  for (const SlowToken& token : slow.tokens) list.push_back(SlowTokenJson(token, report, events));
  return {{"stalls", slow.stalls},
          {"moments", report.stall_moments_size()},
          {"first_tokens", slow.first_tokens},
          {"worst_stall", or_null(slow.worst_stall)},
          {"worst_first", or_null(slow.worst_first)},
          {"list", std::move(list)}};
}

}  // namespace

Json PageData(const v1::Report& report, PageEvents& events, const SlowTokens& slow, Timelines& timelines,
              const RequestWaterfalls& waterfalls) {
  const record::TimeNs origin = report.origin().monotonic_ns();
  Json moments = timelines.ToJson();
  return {{"report", ReportJson(report)},
          {"about", ProcessNames(report)},
          {"judged_by", LevelWords(report.levels())},
          {"causes", CausesJson(report)},
          {"slow", SlowJson(report, slow, events)},
          {"requests", RequestColumns(report, events)},
          {"gaps", events.gaps().ToJson(origin)},
          {"batches", events.batches().ToJson(origin)},
          {"waterfalls", waterfalls.ToJson()},
          {"iterations_with", kIterationRowsWith},
          {"moments", std::move(moments)},
          {"names", timelines.names()},
          {"ttft_phases", record::kTtftPhaseNames},
          {"gap_phases", record::kGapPhaseNames},
          {"opaque_words", OpaqueWords(report.graphs())},
          {"collectives", CollectivesWords(report)}};
}

}  // namespace slowtoken::report::html
