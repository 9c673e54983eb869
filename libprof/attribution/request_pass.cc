#include "attribution/request_pass.h"

#include <algorithm>

namespace slowtoken::attribution {

bool RequestPass::Init(base::Arena& arena, const EngineConfig& config, const Parts& parts) {
  parts_ = parts;
  settle_ns_ = config.settle_ns;
  deadline_ns_ = config.deadline_ns;
  idle_ns_ = config.idle_ns;
  ready_ = arena.AllocateArray<Ready>(config.limits.requests);
  return !ready_.empty();
}

void RequestPass::Run(TimeNs watermark) {
  size_t count = 0;
  parts_.requests->ForEachAlive([&](PoolIndex index) {
    const Request& request = (*parts_.requests)[index];
    const State state = StateAt(request, watermark);
    if (state == State::kOpen) return;
    const TimeNs end = EndOf(request);
    ready_[count++] = {end != 0 ? end : request.last_activity, request.id, index, state == State::kGivenUp};
  });
  std::sort(ready_.begin(), ready_.begin() + static_cast<ptrdiff_t>(count),
            [](const Ready& a, const Ready& b) { return a.end != b.end ? a.end < b.end : a.id < b.id; });
  for (const Ready& ready : ready_.first(count)) Emit((*parts_.requests)[ready.request], ready.given_up);
}

// The end of `req`. Where `req` is not to be seen, because it is emitted in a process that is not read, req.finish.
TimeNs RequestPass::EndOf(const Request& request) const {
  if (request.end != 0) return request.end;
  const bool front_end_is_read = request.saw_req || parts_.requests->saw_req() || request.sends.head != 0 ||
                                 request.states[static_cast<size_t>(Basis::kSend)].emissions > 0;
  return front_end_is_read ? 0 : request.finish_time;
}

RequestPass::State RequestPass::StateAt(const Request& request, TimeNs watermark) const {
  const TimeNs end = EndOf(request);
  const bool ended = end != 0 && !EmissionPass::HasPending(request);
  if (watermark == kForever) return ended ? State::kOver : State::kGivenUp;
  const auto waited = [&](TimeNs since, uint64_t ns) { return watermark > since && watermark - since >= ns; };
  if (end == 0) return waited(request.last_activity, idle_ns_) ? State::kGivenUp : State::kOpen;
  if (!waited(end, settle_ns_)) return State::kOpen;
  if (ended && !parts_.iteration_pass->HasUnsealed(request.id, end)) return State::kOver;
  return waited(end, deadline_ns_) ? State::kGivenUp : State::kOpen;
}

void RequestPass::Emit(Request& request, bool given_up) {
  const Basis basis = EmissionPass::Choose(request);
  if (!request.basis_fixed) parts_.emissions->EmitKept(request, basis);
  const EmissionState& state = request.state(basis);
  record::RequestSummary summary;
  summary.req = request.id;
  summary.arrival = request.saw_req ? request.arrival : 0;
  summary.end = request.end != 0 ? request.end : std::max(state.instant, request.finish_time);
  summary.finish = request.finish;
  summary.flags = FlagsOf(request, basis, given_up);
  summary.process = request.process;
  summary.has_ttft = request.saw_req && state.ttft.end != 0 && state.ttft.end >= request.arrival;
  if (summary.has_ttft) parts_.ttft->Finish(request, state.ttft, &summary);
  if (OverlapsBlind(summary)) summary.flags |= record::kOverlapsBlind;
  summary.prompt = request.prompt;
  summary.cached = request.cached;
  summary.tokens = EmissionPass::TokensOf(request);
  summary.gaps = state.emissions > 0 ? state.emissions - 1 : 0;
  summary.gpu_share_ns = request.gpu_share_ns;
  summary.preemptions = request.preemptions;
  summary.iterations = request.iterations;
  if (summary.has_ttft) {
    parts_.first_causes->Finish(state.ttft, &summary);
    parts_.first_rule->Learn(summary);
  }
  parts_.metrics->Add(summary);
  parts_.out->On(summary);
  request.done = true;
  parts_.requests->Empty(request);
}

bool RequestPass::OverlapsBlind(const record::RequestSummary& summary) const {
  const TimeNs start = summary.arrival != 0 ? summary.arrival : summary.end;
  return parts_.blind->Overlap(start, summary.has_ttft ? summary.arrival + summary.ttft_ns : summary.end);
}

uint16_t RequestPass::FlagsOf(const Request& request, Basis basis, bool given_up) const {
  unsigned flags = 0;
  if (request.saw_req) flags |= record::kSawArrival;
  if (request.end != 0 || request.finish_time != 0) flags |= record::kSawFinish;
  if (request.states[static_cast<size_t>(Basis::kCommit)].emissions > 0) flags |= record::kSawTokens;
  if (basis == Basis::kSend) flags |= record::kSawSends;
  if (request.iterations > 0) flags |= record::kSawIterations;
  if (request.saw_gpu) flags |= record::kSawGpu;
  if (given_up || request.partial || request.lost_something) flags |= record::kPartial;
  return static_cast<uint16_t>(flags);
}

}  // namespace slowtoken::attribution
