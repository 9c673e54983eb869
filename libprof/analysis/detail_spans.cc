#include "analysis/detail_spans.h"

#include <algorithm>

namespace slowtoken::analysis {

std::vector<DetailSpan> DetailSpans(const RecorderFacts& facts) {
  std::vector<record::DetailChange> changes = facts.detail_changes();
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return a.process != b.process ? a.process < b.process : a.time < b.time;
  });
  std::vector<DetailSpan> spans;
  for (size_t i = 0; i < changes.size(); ++i) {
    const bool last = i + 1 == changes.size() || changes[i + 1].process != changes[i].process;
    if (changes[i].level == record::DetailLevel::kFull) continue;
    spans.push_back({changes[i], std::max(changes[i].time, last ? facts.last_time() : changes[i + 1].time)});
  }
  return spans;
}

bool DetailIsSampled(const RecorderFacts& facts, const std::vector<reader::ProcessInfo>& processes) {
  for (const DetailSpan& span : DetailSpans(facts)) {
    const bool by_mode =
        span.change.level == record::DetailLevel::kMetrics && span.change.reason == record::DetailReason::kStart;
    if (by_mode || span.change.reason == record::DetailReason::kCapped) continue;
    const auto process = std::find_if(processes.begin(), processes.end(),
                                      [&](const reader::ProcessInfo& p) { return p.index == span.change.process; });
    if (process == processes.end() || process->detail_from < span.end) return true;
  }
  return false;
}

}  // namespace slowtoken::analysis
