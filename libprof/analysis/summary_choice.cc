#include "analysis/summary_choice.h"

#include <algorithm>

namespace slowtoken::analysis {

// True if every process that is read has full detail for all of [start, end]. start 0 is an arrival that nobody saw:
// before all detail, wherever that does not begin with the process.
bool SummaryChoice::Covered(record::TimeNs start, record::TimeNs end) const {
  for (const reader::ProcessInfo& process : *processes_) {
    if (process.detail_from > start) return false;
    const auto found = levels_.find(process.index);
    if (found == levels_.end()) continue;
    const Level& level = found->second;
    const bool full = level.newest.level == record::DetailLevel::kFull;
    const bool ever = level.newest.reason == record::DetailReason::kStart;
    if (full ? !ever && level.since > start : level.since < end) return false;
  }
  return true;
}

// Changes are told again, also older ones.
void SummaryChoice::Recorded::On(const record::DetailChange& change) {
  const auto [known, fresh] = all_->levels_.try_emplace(change.process, Level{change, change.time});
  Level& level = known->second;
  if (fresh || change.time <= level.newest.time) return;
  const auto is_full = [](const record::DetailChange& c) { return c.level == record::DetailLevel::kFull; };
  if (is_full(level.newest) != is_full(change)) level.since = change.time;
  level.newest = change;
}

void SummaryChoice::Computed::On(const record::IterationSummary& summary) {
  if (all_->Covered(summary.start, summary.end)) all_->out_->On(summary);
}

void SummaryChoice::Recorded::On(const record::IterationSummary& summary) {
  if (all_->Covered(summary.start, summary.end)) return;
  record::IterationSummary kept = summary;
  kept.rows = {};
  const auto [known, fresh] =
      all_->iterations_.try_emplace(Key{summary.key.engine, summary.key.dp_rank, summary.key.iter}, kept);
  if (!fresh) Merge(known->second, kept);
}

// Each process saw a part of the iteration: the one that launched its work, the one that scheduled its batch.
void SummaryChoice::Merge(record::IterationSummary& into, const record::IterationSummary& other) {
  const bool other_launched = other.kernels + other.graph_launches > into.kernels + into.graph_launches;
  record::IterationSummary merged = other_launched ? other : into;
  const record::IterationSummary& rest = other_launched ? into : other;
  if (!merged.batch_known && rest.batch_known) {
    merged.batch_known = true;
    merged.prefill_rows = rest.prefill_rows;
    merged.decode_rows = rest.decode_rows;
    merged.prefill_tokens = rest.prefill_tokens;
  }
  if (!merged.has_counts()) {
    merged.prefill_rows = rest.prefill_rows;
    merged.decode_rows = rest.decode_rows;
    merged.prefill_tokens = rest.prefill_tokens;
    merged.present |= rest.present & record::kIterationSaysCounts;
  }
  if ((merged.present & ~record::kIterationSaysCounts) == 0) {
    merged.present |= rest.present;
    merged.kv_used = rest.kv_used;
    merged.kv_total = rest.kv_total;
    merged.waiting = rest.waiting;
  }
  into = merged;
}

void SummaryChoice::AddComputed(const record::RequestSummary& summary) {
  Version version{summary, {}, true};
  if (const auto gaps = computed_gaps_.find(summary.req); gaps != computed_gaps_.end()) {
    version.gaps = std::move(gaps->second);
    computed_gaps_.erase(gaps);
  }
  // One of which no end was seen may have gone on where no detail was kept.
  const bool ended = summary.finish != record::FinishReason::kUnfinished;
  if (Covered(summary.arrival, ended ? summary.end : UINT64_MAX)) return HandOut(version);
  uncovered_[summary.req] = std::move(version);
}

void SummaryChoice::Recorded::On(const record::RequestSummary& summary) {
  const std::pair<record::RequestId, record::ProcessIndex> key{summary.req, summary.process};
  if (all_->Covered(summary.arrival, summary.end)) {
    all_->by_process_.erase(key);
    return;
  }
  Version& version = all_->by_process_[key];
  version.summary = summary;
  version.summarised = true;
}

void SummaryChoice::Recorded::On(const record::GapSummary& gap) {
  all_->by_process_[{gap.req, gap.process}].gaps.push_back(gap);
}

// The process that saw the request arrive knows when its tokens were sent; then who knows more gaps.
bool SummaryChoice::Better(const Version& a, const Version& b) {
  if (a.summarised != b.summarised) return a.summarised;
  if (a.summary.has_ttft != b.summary.has_ttft) return a.summary.has_ttft;
  const bool a_sends = (a.summary.flags & record::kSawSends) != 0, b_sends = (b.summary.flags & record::kSawSends) != 0;
  return a_sends != b_sends ? a_sends : a.gaps.size() > b.gaps.size();
}

void SummaryChoice::HandOut(const Version& version) {
  handed_out_.insert(version.summary.req);
  for (const record::GapSummary& gap : version.gaps) out_->On(gap);
  out_->On(version.summary);
}

void SummaryChoice::Finish() {
  for (auto it = by_process_.begin(); it != by_process_.end();) {
    const record::RequestId req = it->first.first;
    const Version* best = &it->second;
    for (; it != by_process_.end() && it->first.first == req; ++it) {
      if (Better(it->second, *best)) best = &it->second;
    }
    if (best->summarised && !handed_out_.contains(req)) HandOut(*best);
  }
  for (const auto& [req, version] : uncovered_) {
    if (!handed_out_.contains(req)) HandOut(version);
  }
  for (const auto& [key, iteration] : iterations_) out_->On(iteration);
}

}  // namespace slowtoken::analysis
