#include "report/html/page_events.h"

#include <algorithm>

#include "analysis/interval.h"
#include "report/told.h"

namespace slowtoken::report::html {

void PageEvents::On(const record::GapSummary& gap) {
  gaps_.Add(gap);
  const uint32_t told = ToldPhases(gap.phases, gap.flags, options_->graph_launch_level);
  Decode& decode = decode_[gap.req];
  ++decode.gaps;
  decode.longest_ns = std::max(decode.longest_ns, gap.gap_ns);
  decode.phases.told |= told;
  for (size_t i = 0; i < gap.phases.size(); ++i)
    decode.phases.ns[i] = analysis::SaturatingAdd(decode.phases.ns[i], gap.phases[i]);
  if (!gap.is_stall) return;
  ++decode.stalls;
  stalls_[{gap.req, gap.n}] = {gap.phases, told};
}

const PageEvents::Decode* PageEvents::DecodeOf(record::RequestId req) const {
  const auto found = decode_.find(req);
  return found == decode_.end() ? nullptr : &found->second;
}

const PageEvents::Phases* PageEvents::PhasesOfStall(record::RequestId req, uint32_t n) const {
  const auto found = stalls_.find({req, n});
  return found == stalls_.end() ? nullptr : &found->second;
}

}  // namespace slowtoken::report::html
