#include "attribution/first_token_rule.h"

namespace slowtoken::attribution {

bool FirstTokenRule::Init(base::Arena& arena, const EngineConfig& config) {
  slo_ttft_ns_ = config.slo_ttft_ns;
  bool ok = all_.Init(arena) && per_token_.Init(arena);
  for (RunningMedian& median : classes_) ok = ok && median.Init(arena);
  for (RunningMedian& median : phases_) ok = ok && median.Init(arena);
  return ok;
}

const RunningMedian& FirstTokenRule::MedianFor(uint64_t prompt) const {
  const RunningMedian& own = classes_[ClassOf(prompt)];
  return own.samples() >= kFewSamples ? own : all_;
}

uint64_t FirstTokenRule::threshold(uint64_t prompt) const {
  if (slo_ttft_ns_ != 0) return slo_ttft_ns_;
  const RunningMedian& median = MedianFor(prompt);
  if (median.samples() < kFewSamples) return kLeastKnown;
  return std::max(median.value() * 5 / 2, kLeastSlow);
}

void FirstTokenRule::Judge(record::RequestSummary* request) const {
  const uint64_t limit = threshold(request->prompt);
  request->is_slow = request->has_ttft && request->ttft_ns > limit;
  if (!request->is_slow) return;
  if (slo_ttft_ns_ == 0 && MedianFor(request->prompt).samples() < kFewSamples) request->flags |= record::kFewSamples;
  size_t longest = 0;
  request->excess_ns = 0;
  request->largest_phase = record::TtftPhase::kUnattributed;
  for (size_t i = 0; i < phases_.size(); ++i) {
    const auto phase = static_cast<record::TtftPhase>(i);
    if (request->ttft_phases[i] > request->ttft_phases[longest]) longest = i;
    const uint64_t excess = Excess(phase, request->ttft_phases[i]);
    if (excess <= request->excess_ns) continue;
    request->excess_ns = excess;
    request->largest_phase = phase;
  }
  if (request->excess_ns != 0) return;
  // As usual, and still too late: the level is below what is usual here.
  request->largest_phase = static_cast<record::TtftPhase>(longest);
  request->excess_ns = std::min(request->ttft_phases[longest], request->ttft_ns - limit);
}

void FirstTokenRule::Learn(const record::RequestSummary& request) {
  if (!request.has_ttft) return;
  all_.Add(request.ttft_ns);
  classes_[ClassOf(request.prompt)].Add(request.ttft_ns);
  for (size_t i = 0; i < phases_.size(); ++i) phases_[i].Add(request.ttft_phases[i]);
  const uint64_t computed = request.prompt - std::min(request.prompt, request.cached);
  if (computed != 0 && request.prefill_gpu_ns != 0) per_token_.Add(request.prefill_gpu_ns / computed);
}

}  // namespace slowtoken::attribution
