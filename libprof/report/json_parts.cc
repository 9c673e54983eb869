#include "report/json_parts.h"

#include "record/annotation.h"
#include "record/phases.h"
#include "report/acting_thread.h"
#include "report/findings.h"
#include "report/json.h"

namespace slowtoken::report {
namespace {

Json StallOf(const v1::Gap& gap) {
  if (!gap.has_stall_excess_ns()) return Json();
  return {{"cause", CauseText(gap.finding())},
          {"confidence", ConfidenceText(gap.finding())},
          {"largest_phase", record::kGapPhaseNames[gap.largest_phase() % record::kGapPhaseCount]},
          {"excess_ns", gap.stall_excess_ns()},
          {"few_samples", gap.few_samples()},
          {"evidence", EvidenceJson(gap.finding())},
          {"acting_thread", ActingThreadJson(gap.finding())}};
}

Json GapJson(const v1::Gap& gap) {
  return {{"n", gap.n()},
          {"n_new", gap.n_new()},
          {"gap_ns", gap.gap_ns()},
          {"phases", PhasesJson(gap.phases_ns(), gap.told(), record::kGapPhaseNames)},
          {"interference_est_ns", gap.has_interference_est_ns() ? Json(gap.interference_est_ns()) : Json()},
          {"overlaps_blind", gap.overlaps_blind()},
          {"stall", StallOf(gap)}};
}

Json CauseOf(const v1::RequestReport& request) {
  if (!request.has_slow_excess_ns()) return Json();
  return {{"cause", CauseText(request.finding())},
          {"confidence", ConfidenceText(request.finding())},
          {"largest_phase", record::kTtftPhaseNames[request.largest_phase() % record::kTtftPhaseCount]},
          {"excess_ns", request.slow_excess_ns()},
          {"few_samples", request.few_samples()},
          {"evidence", EvidenceJson(request.finding())},
          {"acting_thread", ActingThreadJson(request.finding())}};
}

Json PrefillBy(const v1::RequestReport& request, const Options& options) {
  Json out = Json::object();
  if (!request.has_ttft_ns() || !request.saw_gpu()) return out;
  out["gpu"] = request.prefill_gpu_ns();
  const bool inside = !options.graph_launch_level;
  if (inside || request.prefill_collective_ns() != 0) out["collective"] = request.prefill_collective_ns();
  if (inside || request.prefill_idle_ns() != 0) out["idle"] = request.prefill_idle_ns();
  return out;
}

Json QueueBy(const v1::RequestReport& request) {
  Json out = Json::object();
  for (int i = 0; i < request.queue_by_ns_size() && i < static_cast<int>(std::size(record::kWaitReasonTexts)); ++i) {
    if (request.queue_by_ns(i) != 0) out[record::kWaitReasonTexts[i]] = request.queue_by_ns(i);
  }
  return out;
}

}  // namespace

const char* FinishText(const v1::RequestReport& request) {
  if (request.finish() == 0 && request.ended()) return kEndedText;
  return request.finish() < std::size(record::kFinishReasonTexts) ? record::kFinishReasonTexts[request.finish()]
                                                                  : record::kFinishReasonTexts[0];
}

std::string Dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json DistributionJson(const v1::Distribution& d) {
  if (d.count() == 0) {
    return {{"count", 0}, {"mean_ns", {}}, {"p50_ns", {}}, {"p90_ns", {}}, {"p99_ns", {}}, {"max_ns", {}}};
  }
  return {{"count", d.count()},   {"mean_ns", d.mean_ns()}, {"p50_ns", d.p50_ns()},
          {"p90_ns", d.p90_ns()}, {"p99_ns", d.p99_ns()},   {"max_ns", d.max_ns()}};
}

Json RequestJson(const v1::RequestReport& request, const Options& options) {
  Json out = {
      {"req", RequestName(request.req(), request.clear())},
      {"arrival_ns", request.arrival_ns()},
      {"ttft_ns", request.has_ttft_ns() ? Json(request.ttft_ns()) : Json()},
      {"e2e_ns", request.e2e_ns()},
      {"prompt", request.prompt()},
      {"cached", request.cached()},
      {"tokens", request.tokens()},
      {"finish", FinishText(request)},
      {"partial", request.partial()},
      {"overlaps_blind", request.overlaps_blind()},
      {"preemptions", request.preemptions()},
      {"cause", CauseOf(request)},
      {"ttft_phases", PhasesJson(request.ttft_phases_ns(), request.ttft_told(), record::kTtftPhaseNames)},
      {"prefill_by", PrefillBy(request, options)},
      {"queue_by", QueueBy(request)},
      {"gaps", Json::array()},
      {"gpu_share_ns", request.saw_gpu() ? Json(request.gpu_share_ns()) : Json()},
  };
  Json& gaps = out["gaps"];
  for (const v1::Gap& gap : request.gaps()) gaps.push_back(GapJson(gap));
  return out;
}

Json IterationJson(const v1::Iteration& i) {
  return {{"iter", i.iter()},
          {"engine", i.engine()},
          {"dp_rank", i.dp_rank()},
          {"start_ns", i.start_ns()},
          {"dur_ns", i.dur_ns()},
          {"gpu_ns", i.has_gpu_ns() ? Json(i.gpu_ns()) : Json()},
          {"kernels", i.kernels()},
          {"graph", i.graph()},
          {"prefill", i.has_prefill() ? Json(i.prefill()) : Json()},
          {"decode", i.has_decode() ? Json(i.decode()) : Json()},
          {"prefill_tok", i.has_prefill_tok() ? Json(i.prefill_tok()) : Json()},
          {"collective_ns", i.has_collective_ns() ? Json(i.collective_ns()) : Json()},
          {"kv_used", i.has_kv_used() ? Json(i.kv_used()) : Json()},
          {"kv_total", i.has_kv_total() ? Json(i.kv_total()) : Json()},
          {"waiting", i.has_waiting() ? Json(i.waiting()) : Json()},
          {"inferred", TextOrNull(i.inferred())}};
}

}  // namespace slowtoken::report
