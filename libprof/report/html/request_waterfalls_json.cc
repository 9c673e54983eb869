// The second half of RequestWaterfalls: from what was collected to the rows a page shows.
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "record/phases.h"
#include "report/html/request_waterfalls.h"
#include "report/iteration_rows.h"
#include "report/json.h"
#include "report/judgement.h"
#include "report/phase_steps.h"
#include "report/units.h"
#include "report/why_sections.h"

namespace slowtoken::report::html {
namespace {

constexpr size_t kMostKernels = 5;

Json StepsJson(const std::vector<PhaseStep>& steps) {
  Json out = Json::array();
  for (const PhaseStep& step : steps) out.push_back(Json::array({step.phase, step.start_ns, step.ns}));
  return out;
}

void AddIterations(const Moment& moment, Json& out) {
  const IterationRows iterations = IterationRowsOf(moment);
  Json rows = Json::array();
  for (const IterationRow& row : iterations.rows)
    rows.push_back(Json::array(
        {row.iter, std::max<int64_t>(row.at_ns, 0), row.length_ns, row.gpu_ns, row.kind, row.own, row.with}));
  out["iterations"] = std::move(rows);
  out["iterations_all"] = iterations.all;
}

void AddGpu(const Moment& moment, Json& out) {
  Json kernels = Json::array();
  for (const auto& [name, ns] : moment.TopKernels()) {
    if (kernels.size() < kMostKernels) kernels.push_back(Json::array({name, ns}));
  }
  out["gpu"] = GpuBusyText(moment);
  out["kernels"] = std::move(kernels);
}

std::string NameOf(uint32_t first, uint32_t last) {
  return first == last ? absl::StrCat("token ", first) : absl::StrCat("tokens ", first, " to ", last);
}

std::string OthersText(size_t least, size_t most) {
  return least == most ? Counted(least, "other") : absl::StrCat(least, " to ", Counted(most, "other"));
}

}  // namespace

std::vector<std::string> RequestWaterfalls::LinesOf(const Life& life, const Part& part) const {
  const v1::RequestReport& request = *life.request;
  if (!part.slow) return {FirstTokenNotSlow(report_->levels())};
  if (part.n == 1)
    return JudgementLines(request.finding(), JudgedOf(*report_, request), ExcessPhaseOf(*report_, request));
  const v1::Stall& stall = *slow_->tokens[*part.slow].stall;
  return JudgementLines(stall.finding(), JudgedOf(*report_, stall), ExcessPhaseOf(*report_, stall, part.phases));
}

Json RequestWaterfalls::PartJson(const Life& life, const Part& part) const {
  const v1::RequestReport& request = *life.request;
  const bool first = part.n == 1;
  Json out = {
      {"name", first ? std::string("first token") : NameOf(part.n, part.n)},
      {"first", first},
      {"start_ns", part.start - origin_ - request.arrival_ns()},
      {"ns", part.end - part.start},
      {"steps", StepsJson(first ? PhaseSteps(request.ttft_phases_ns(), record::kTtftPhaseNames, record::kTtftTimeOrder)
                                : PhaseSteps(part.phases, record::kGapPhaseNames, record::kGapTimeOrder))},
      {"lines", LinesOf(life, part)},
      {"slow", part.slow ? Json(*part.slow) : Json()}};
  AddIterations(*part.moment, out);
  AddGpu(*part.moment, out);
  return out;
}

Json RequestWaterfalls::LifeJson(const Life& life) const {
  const record::TimeNs arrival = origin_ + life.request->arrival_ns();
  Json rows = Json::array();
  for (size_t i = 0; i < life.between.size(); ++i) {
    const Between& between = life.between[i];
    if (between.gaps != 0) {
      std::string line = absl::StrCat(Counted(between.gaps, "gap"), ", none of them among its worst");
      if (between.iterations != 0)
        absl::StrAppend(&line, "; in ", Counted(between.iterations, "iteration"), " with ",
                        OthersText(between.least_others, between.most_others));
      rows.push_back({{"name", NameOf(between.first, between.last)},
                      {"start_ns", between.start - std::min(between.start, arrival)},
                      {"ns", between.end - between.start},
                      {"steps", StepsJson(PhaseSteps(between.phases, record::kGapPhaseNames, record::kGapTimeOrder))},
                      {"lines", Json::array({line})}});
    }
    if (i < life.parts.size()) rows.push_back(PartJson(life, life.parts[i]));
  }
  return {{"arrival_ns", life.request->arrival_ns()}, {"whole_ns", life.request->e2e_ns()}, {"rows", std::move(rows)}};
}

Json RequestWaterfalls::ToJson() const {
  Json out = Json::object();
  for (const auto& [req, life] : lives_) out[RequestName(req, life.request->clear())] = LifeJson(life);
  return out;
}

}  // namespace slowtoken::report::html
