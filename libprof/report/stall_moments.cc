#include "report/stall_moments.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "record/causes.h"

namespace slowtoken::report {
namespace {

// When the gap stood still: what its evidence covers, else all of it.
struct Stood {
  uint64_t start = 0, end = 0;
  int stall = 0;
};

Stood StoodStill(const v1::Stall& stall, int index) {
  const v1::Finding& finding = stall.finding();
  if (finding.evidence_end_ns() <= finding.evidence_start_ns())
    return {stall.start_ns(), stall.start_ns() + stall.gap_ns(), index};
  return {stall.start_ns() + finding.evidence_start_ns(), stall.start_ns() + finding.evidence_end_ns(), index};
}

// Those that one instant is common to, by the fewest instants that meet them all: the earliest end is taken, then the
// earliest end of what does not contain it, and so on. A chain in which each overlaps the next alone stays several.
std::vector<std::vector<Stood>> ByCommonInstant(std::vector<Stood> stood) {
  std::sort(stood.begin(), stood.end(), [](const Stood& a, const Stood& b) {
    return std::tie(a.end, a.start, a.stall) < std::tie(b.end, b.start, b.stall);
  });
  std::vector<std::vector<Stood>> groups;
  uint64_t common_end = 0;
  for (const Stood& one : stood) {
    if (groups.empty() || one.start >= common_end) {
      groups.emplace_back();
      common_end = one.end;
    }
    groups.back().push_back(one);
  }
  return groups;
}

// Replicas behind one frontend may stand still at one instant, each by itself: their evidence is of threads of
// different processes. Gaps whose evidence is of none go with the most of them.
std::vector<std::vector<Stood>> ByEvidence(const std::vector<Stood>& group, const v1::Report& report) {
  std::map<uint32_t, std::vector<Stood>> by_process;
  std::vector<Stood> untold;
  for (const Stood& one : group) {
    const v1::Finding& finding = report.stalls(one.stall).finding();
    (finding.has_process() ? by_process[finding.process()] : untold).push_back(one);
  }
  if (by_process.empty()) return {untold};
  std::vector<std::vector<Stood>> groups;
  groups.reserve(by_process.size());
  for (auto& [process, stood] : by_process) groups.push_back(std::move(stood));
  auto& most =
      *std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  most.insert(most.end(), untold.begin(), untold.end());
  return groups;
}

v1::StallMoment MomentOf(const std::vector<Stood>& group, const v1::Report& report) {
  v1::StallMoment moment;
  std::set<uint64_t> requests;
  uint64_t start = std::numeric_limits<uint64_t>::max(), end = 0;
  for (const Stood& one : group) {
    const v1::Stall& stall = report.stalls(one.stall);
    start = std::min(start, one.start);
    end = std::max(end, one.end);
    requests.insert(stall.req());
    moment.add_stalls(static_cast<uint32_t>(one.stall));
    moment.set_lost_ns(moment.lost_ns() + stall.excess_ns());
    if (stall.finding().confidence() == static_cast<uint32_t>(record::Confidence::kHigh))
      moment.set_sure(moment.sure() + 1);
    if (moment.stalls_size() > 1 && stall.excess_ns() <= moment.excess_ns()) continue;
    moment.set_excess_ns(stall.excess_ns());
    moment.set_worst(static_cast<uint32_t>(one.stall));
  }
  moment.set_start_ns(start);
  moment.set_end_ns(end);
  moment.set_requests(static_cast<uint32_t>(requests.size()));
  return moment;
}

}  // namespace

void FillStallMoments(v1::Report& report) {
  std::map<std::tuple<uint32_t, uint32_t, bool>, std::vector<Stood>> alike;
  for (int i = 0; i < report.stalls_size(); ++i) {
    const v1::Stall& stall = report.stalls(i);
    alike[{stall.process(), stall.finding().cause(), stall.few_samples()}].push_back(StoodStill(stall, i));
  }
  std::vector<v1::StallMoment> moments;
  for (auto& [key, stood] : alike) {
    for (const std::vector<Stood>& group : ByCommonInstant(std::move(stood))) {
      for (const std::vector<Stood>& of_one : ByEvidence(group, report)) moments.push_back(MomentOf(of_one, report));
    }
  }
  std::stable_sort(moments.begin(), moments.end(),
                   [](const auto& a, const auto& b) { return a.start_ns() < b.start_ns(); });
  for (v1::StallMoment& moment : moments) {
    const int index = report.stall_moments_size();
    for (const uint32_t stall : moment.stalls())
      report.mutable_stalls(static_cast<int>(stall))->set_moment(static_cast<uint32_t>(index));
    report.add_stall_moments()->Swap(&moment);
  }
}

}  // namespace slowtoken::report
