#include "analysis/interval_union.h"

#include <algorithm>

namespace slowtoken::analysis {

template <typename Tag>
void BasicIntervalUnion<Tag>::Add(TimeNs start, TimeNs end, const Tag& tag) {
  if (start >= end) return;
  if (empty_) {
    empty_ = false;
    first_ = start;
    last_ = end;
    first_tag_ = tag;
    covered_ = end - start;
    return;
  }
  if (start >= last_) {  // in order: the usual case
    if (start > last_) gaps_.push_back({last_, start, tag});
    covered_ += end - start;
    last_ = end;
    if (gaps_.size() > open_gaps_) Trim(open_gaps_);
    return;
  }
  if (start < handed_out_to_) ++late_;
  if (start < first_) {
    const TimeNs old_first = first_;
    AddBeforeFirst(start, end, tag);
    if (end <= old_first) return;
    start = old_first;
  }
  if (end > last_) {
    covered_ += end - last_;
    last_ = end;
  }
  if (!gaps_.empty() && gaps_.back().end > start) Carve(start, end, tag);
}

// Moves the beginning back in time; what [start, end) covers from the old beginning on is the caller's.
template <typename Tag>
void BasicIntervalUnion<Tag>::AddBeforeFirst(TimeNs start, TimeNs end, const Tag& tag) {
  covered_ += std::min(end, first_) - start;
  if (end < first_) gaps_.push_front({end, first_, first_tag_});
  first_ = start;
  first_tag_ = tag;
}

template <typename Tag>
void BasicIntervalUnion<Tag>::Carve(TimeNs start, TimeNs end, const Tag& tag) {
  auto gap = std::partition_point(gaps_.begin(), gaps_.end(), [&](const Gap& g) { return g.end <= start; });
  while (gap != gaps_.end() && gap->start < end) {
    const TimeNs from = std::max(gap->start, start);
    const TimeNs to = std::min(gap->end, end);
    covered_ += to - from;
    const Gap left{gap->start, from, tag};
    const Gap right{to, gap->end, gap->ended_by};
    if (left.start < left.end && right.start < right.end) {
      *gap = left;
      gaps_.insert(gap + 1, right);
      return;  // the interval lies wholly inside this gap
    }
    if (left.start < left.end) {
      *gap++ = left;
    } else if (right.start < right.end) {
      *gap++ = right;
    } else {
      gap = gaps_.erase(gap);
    }
  }
}

template <typename Tag>
void BasicIntervalUnion<Tag>::Trim(size_t keep) {
  while (gaps_.size() > keep) {
    handed_out_to_ = gaps_.front().end;
    if (sink_) sink_(gaps_.front());
    gaps_.pop_front();
  }
}

template <typename Tag>
void BasicIntervalUnion<Tag>::Finish() {
  Trim(0);
}

template class BasicIntervalUnion<uint64_t>;
template class BasicIntervalUnion<EndedBy>;

}  // namespace slowtoken::analysis
