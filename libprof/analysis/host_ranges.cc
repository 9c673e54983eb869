#include "analysis/host_ranges.h"

#include <algorithm>

namespace slowtoken::analysis {

void HostRanges::Add(const record::NvtxRange& range) {
  if (range.range_id != 0 || (range.end != 0 && range.end_thread != range.thread)) return;
  Add(attribution::ThreadKey(range.process, range.thread), range.start, range.end, range.message);
}

void HostRanges::Add(const record::Annotation& annotation) {
  if (annotation.kind != record::AnnotationKind::kPushPop) return;
  Add(attribution::ThreadKey(annotation.process, annotation.thread), annotation.start, annotation.end,
      NameOf(annotation.name));
}

void HostRanges::Add(ThreadKey key, TimeNs start, TimeNs end, RangeName name) {
  if (name == kNoRange || !IsTime(start)) return;
  if (end == 0) {
    Touch(key).open.emplace(start, name);
    return;
  }
  if (!IsInterval(start, end)) return;
  Thread& thread = Touch(key);
  thread.open.erase({start, name});
  thread.fresh.push_back({start, end, end, name});
}

void HostRanges::Ask(const Question& question) { Touch(question.thread).asked.push_back(question); }

HostRanges::Thread& HostRanges::Touch(ThreadKey key) {
  Thread& thread = threads_[key];
  if (!thread.touched) {
    thread.touched = true;
    touched_.push_back(key);
  }
  return thread;
}

// Sorts in what is fresh; the earliest start of it.
TimeNs HostRanges::TakeIn(Thread& thread) {
  if (thread.fresh.empty()) return kLastTime;
  const auto before = [](const Range& a, const Range& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  };
  std::sort(thread.fresh.begin(), thread.fresh.end(), before);
  std::vector<Range>& ranges = thread.ranges;
  const TimeNs from = thread.fresh.front().start;
  const auto first = std::upper_bound(ranges.begin(), ranges.end(), thread.fresh.front(), before) - ranges.begin();
  const auto middle = static_cast<ptrdiff_t>(ranges.size());
  ranges.insert(ranges.end(), thread.fresh.begin(), thread.fresh.end());
  std::inplace_merge(ranges.begin() + first, ranges.begin() + middle, ranges.end(), before);
  TimeNs reach = first == 0 ? 0 : ranges[static_cast<size_t>(first) - 1].reach;
  for (size_t i = static_cast<size_t>(first); i < ranges.size(); ++i) {
    ranges[i].reach = reach = std::max(reach, ranges[i].end);
  }
  thread.fresh.clear();
  return from;
}

RangeName HostRanges::Find(const Thread& thread, TimeNs at) {
  auto range = std::upper_bound(thread.ranges.begin(), thread.ranges.end(), at,
                                [](TimeNs time, const Range& r) { return time < r.start; });
  while (range != thread.ranges.begin() && (--range)->reach > at) {
    if (range->end > at) return range->name;
  }
  return kNoRange;
}

std::vector<RangeName> HostRanges::Around(ThreadKey key, TimeNs at, TimeNs from) {
  std::vector<RangeName> names;
  const auto found = threads_.find(key);
  if (found == threads_.end()) return names;
  Thread& thread = found->second;
  Answer(thread, TakeIn(thread));
  auto range = std::upper_bound(thread.ranges.begin(), thread.ranges.end(), at,
                                [](TimeNs time, const Range& r) { return time < r.start; });
  while (range != thread.ranges.begin() && (--range)->reach > at && range->start >= from) {
    if (range->end > at) names.push_back(range->name);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

// Of the waiting questions only those from `from` on can be answered by what has come.
void HostRanges::Answer(Thread& thread, TimeNs from) {
  const auto earlier = [](const Question& a, const Question& b) { return a.at < b.at; };
  const auto answered = [&](const Question& question) {
    const RangeName name = Find(thread, question.at);
    if (name != kNoRange) sink_(question, name);
    return name != kNoRange;
  };
  std::vector<Question>& waiting = thread.waiting;
  const auto first = std::lower_bound(waiting.begin(), waiting.end(), Question{.at = from}, earlier);
  waiting.erase(std::remove_if(first, waiting.end(), answered), waiting.end());
  std::erase_if(thread.asked, answered);
  std::stable_sort(thread.asked.begin(), thread.asked.end(), earlier);
  const auto middle = static_cast<ptrdiff_t>(waiting.size());
  waiting.insert(waiting.end(), thread.asked.begin(), thread.asked.end());
  thread.asked.clear();
  std::inplace_merge(waiting.begin(), waiting.begin() + middle, waiting.end(), earlier);
  if (waiting.size() <= kMostWaiting) return;
  const auto cut = waiting.end() - static_cast<ptrdiff_t>(kMostWaiting / 2);
  std::for_each(waiting.begin(), cut, [&](const Question& question) { sink_(question, kNoRange); });
  waiting.erase(waiting.begin(), cut);
}

void HostRanges::Prune(Thread& thread) {
  if (thread.ranges.size() < thread.prune_at) return;
  const TimeNs latest = thread.ranges.back().reach;
  const TimeNs before = latest - std::min(latest, kRemember);
  std::erase_if(thread.ranges, [&](const Range& range) { return range.end < before; });
  TimeNs reach = 0;
  for (Range& range : thread.ranges) range.reach = reach = std::max(reach, range.end);
  thread.prune_at = std::max<size_t>(4096, thread.ranges.size() * 2);
}

void HostRanges::Advance() {
  for (const ThreadKey key : std::exchange(touched_, {})) {
    Thread& thread = threads_[key];
    thread.touched = false;
    Answer(thread, TakeIn(thread));
    Prune(thread);
  }
}

// What is still open covers all that came after it.
void HostRanges::Finish() {
  Advance();
  for (auto& [key, thread] : threads_) {
    for (const auto& [start, name] : thread.open) thread.fresh.push_back({start, kLastTime, kLastTime, name});
    Answer(thread, TakeIn(thread));
    for (const Question& question : std::exchange(thread.waiting, {})) sink_(question, kNoRange);
  }
}

}  // namespace slowtoken::analysis
