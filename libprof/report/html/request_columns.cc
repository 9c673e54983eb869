#include "report/html/request_columns.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "report/findings.h"
#include "report/json.h"

namespace slowtoken::report::html {
namespace {

using Requests = std::vector<const v1::RequestReport*>;

Requests Listed(const v1::Report& report, const PageEvents& events) {
  Requests listed;
  for (const v1::RequestReport& request : report.requests()) listed.push_back(&request);
  if (listed.size() <= kMostRequestRows) return listed;
  const auto badness = [&](const v1::RequestReport* request) {
    const PageEvents::Decode* decode = events.DecodeOf(request->req());
    return std::tuple(request->slow_excess_ns(), decode == nullptr ? 0 : decode->stalls, request->ttft_ns());
  };
  std::stable_sort(listed.begin(), listed.end(), [&](const auto* a, const auto* b) { return badness(a) > badness(b); });
  listed.resize(kMostRequestRows);
  std::stable_sort(listed.begin(), listed.end(),
                   [](const auto* a, const auto* b) { return a->arrival_ns() < b->arrival_ns(); });
  return listed;
}

template <typename Phases>
Json PhaseArray(const Phases& phases, uint32_t told) {
  Json out = Json::array();
  unsigned i = 0;
  for (const uint64_t ns : phases) out.push_back((told >> i++ & 1) != 0 ? Json(ns) : Json());
  return out;
}

void AddDecode(const PageEvents::Decode* decode, Json& columns) {
  columns["gaps"].push_back(decode == nullptr ? 0 : decode->gaps);
  columns["stalls"].push_back(decode == nullptr ? 0 : decode->stalls);
  columns["longest_gap_ns"].push_back(decode == nullptr ? Json() : Json(decode->longest_ns));
  columns["gap_phases"].push_back(decode == nullptr ? Json() : PhaseArray(decode->phases.ns, decode->phases.told));
}

void AddRow(const v1::RequestReport& request, Json& columns) {
  const bool slow = request.has_slow_excess_ns();
  columns["req"].push_back(RequestName(request.req(), request.clear()));
  columns["arrival_ns"].push_back(request.arrival_ns());
  columns["ttft_ns"].push_back(request.has_ttft_ns() ? Json(request.ttft_ns()) : Json());
  columns["e2e_ns"].push_back(request.e2e_ns());
  columns["prompt"].push_back(request.prompt());
  columns["cached"].push_back(request.cached());
  columns["tokens"].push_back(request.tokens());
  columns["finish"].push_back(FinishText(request));
  columns["cause"].push_back(slow ? Json(CauseText(request.finding())) : Json());
  columns["ttft_phases"].push_back(request.has_ttft_ns() ? PhaseArray(request.ttft_phases_ns(), request.ttft_told())
                                                         : Json());
}

}  // namespace

Json RequestColumns(const v1::Report& report, const PageEvents& events) {
  Json columns = Json::object();
  for (const char* name : {"req", "arrival_ns", "ttft_ns", "e2e_ns", "prompt", "cached", "tokens", "finish", "cause",
                           "ttft_phases", "gaps", "stalls", "longest_gap_ns", "gap_phases"}) {
    columns[name] = Json::array();
  }
  for (const v1::RequestReport* request : Listed(report, events)) {
    AddRow(*request, columns);
    AddDecode(events.DecodeOf(request->req()), columns);
  }
  return {{"total", report.requests_size()}, {"columns", std::move(columns)}};
}

}  // namespace slowtoken::report::html
