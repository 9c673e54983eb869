#include "report/definitions.h"

#include <algorithm>

#include "analysis/samples.h"
#include "record/phases.h"
#include "report/report_builder.h"

namespace slowtoken::report {
namespace {

struct Rules {
  Definition definition;
  const char* name;
  bool counts_transport;  // TTFT and gaps end when the token is sent, not when it is committed
  bool counts_tokenize;   // TTFT begins with the arrival, not when the request is queued
  enum { kNone, kPerStep, kPerToken, kPerRequest } itl;
  bool has_tpot;
  const char* note;
};

constexpr Rules kRules[] = {
    {Definition::kVllm, "vllm", false, true, Rules::kPerStep, true,
     "tokens count when committed: detokenising and sending are left out; one ITL sample a step"},
    {Definition::kSglang, "sglang", false, true, Rules::kPerToken, false,
     "tokens count when committed; ITL is the gap over its new tokens, once for each of them"},
    {Definition::kTrtllm, "trtllm", false, false, Rules::kNone, true,
     "TTFT begins in the executor: tokenising and hand-off are left out; there is no ITL"},
    {Definition::kGenaiPerf, "genai-perf", true, true, Rules::kPerRequest, false,
     "ITL is one number a request: (latency - TTFT) / (tokens - 1); seen from the server, without the network"},
    {Definition::kMlperf, "mlperf", true, true, Rules::kNone, true,
     "TTFT and TPOT only; seen from the server, without the network"},
};

uint64_t Phase(const google::protobuf::RepeatedField<uint64_t>& phases, size_t phase) {
  return static_cast<int>(phase) < phases.size() ? phases[static_cast<int>(phase)] : 0;
}

uint64_t Less(uint64_t a, uint64_t b) { return a - std::min(a, b); }

uint64_t TtftOf(const v1::RequestReport& request, const Rules& rules) {
  using record::TtftPhase;
  uint64_t ttft = request.ttft_ns();
  const auto leave_out = [&](TtftPhase phase) {
    ttft = Less(ttft, Phase(request.ttft_phases_ns(), static_cast<size_t>(phase)));
  };
  if (!rules.counts_transport) leave_out(TtftPhase::kTransport);
  if (!rules.counts_tokenize) leave_out(TtftPhase::kTokenize);
  if (!rules.counts_tokenize) leave_out(TtftPhase::kHandoff);
  return ttft;
}

struct Sums {
  analysis::Samples ttft, itl, tpot;
};

void AddGaps(const v1::RequestReport& request, const Rules& rules, Sums& sums) {
  uint64_t decode_ns = 0, tokens = 0;
  uint64_t transport_before = Phase(request.ttft_phases_ns(), static_cast<size_t>(record::TtftPhase::kTransport));
  for (const v1::Gap& gap : request.gaps()) {
    uint64_t ns = gap.gap_ns();
    const uint64_t transport = Phase(gap.phases_ns(), static_cast<size_t>(record::GapPhase::kTransport));
    if (!rules.counts_transport) ns = Less(ns + transport_before, transport);  // from commit to commit
    transport_before = transport;
    const uint64_t new_tokens = std::max(gap.n_new(), 1u);
    decode_ns += ns;
    tokens += new_tokens;
    if (rules.itl == Rules::kPerStep) sums.itl.Add(ns);
    if (rules.itl == Rules::kPerToken) sums.itl.Add(ns / new_tokens, new_tokens, ns);
  }
  if (tokens == 0) return;
  if (rules.itl == Rules::kPerRequest) sums.itl.Add(decode_ns / tokens);
  if (rules.has_tpot) sums.tpot.Add(decode_ns / tokens);
}

}  // namespace

std::optional<Definition> DefinitionOf(const std::string& name) {
  for (const Rules& rules : kRules) {
    if (name == rules.name) return rules.definition;
  }
  return std::nullopt;
}

v1::ByDefinition ByDefinition(const v1::Report& report, Definition definition) {
  const Rules& rules =
      *std::find_if(std::begin(kRules), std::end(kRules), [&](const Rules& r) { return r.definition == definition; });
  Sums sums;
  for (const v1::RequestReport& request : report.requests()) {
    if (!request.has_ttft_ns()) continue;
    sums.ttft.Add(TtftOf(request, rules));
    AddGaps(request, rules, sums);
  }
  v1::ByDefinition out;
  out.set_definition(rules.name);
  out.set_note(rules.note);
  *out.mutable_ttft() = ToDistribution(sums.ttft.Summarize());
  *out.mutable_itl() = ToDistribution(sums.itl.Summarize());
  *out.mutable_tpot() = ToDistribution(sums.tpot.Summarize());
  return out;
}

}  // namespace slowtoken::report
