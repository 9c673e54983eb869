#include "analysis/thread_times.h"

#include <algorithm>

#include "analysis/interval.h"
#include "attribution/iteration.h"

namespace slowtoken::analysis {
namespace {

using record::TimeNs;

constexpr auto kByStart = [](const auto& a, const auto& b) { return a.start < b.start; };
constexpr auto kEndsBy = [](const auto& item, TimeNs at) { return item.end <= at; };

}  // namespace

ThreadTimes::Spent& ThreadTimes::Spent::operator+=(const Spent& more) {
  known_ns += more.known_ns;
  ran_ns += more.ran_ns;
  preempted_ns += more.preempted_ns;
  blocked_ns += more.blocked_ns;
  migrations += more.migrations;
  return *this;
}

void ThreadTimes::Add(const record::OffCpu& off) {
  if (off.start != off.end && !IsInterval(off.start, off.end)) return;
  threads_[attribution::ThreadKey(off.process, off.thread)].off.push_back(
      {off.start, off.end, off.reason == record::OffCpuReason::kPreempted, off.migrated});
}

void ThreadTimes::Add(const record::CpuSample& sample) {
  if (!sample.exact || !IsInterval(sample.start, sample.end)) return;
  std::vector<Known>& known = threads_[attribution::ThreadKey(sample.process, sample.thread)].known;
  if (!known.empty() && known.back().end == sample.start) {
    known.back().end = sample.end;
  } else {
    known.push_back({sample.start, sample.end});
  }
}

// Of one thread they come in order, unless the traces of a process are read in another.
void ThreadTimes::Finish() {
  for (auto& [key, thread] : threads_) {
    std::stable_sort(thread.off.begin(), thread.off.end(), kByStart);
    std::stable_sort(thread.known.begin(), thread.known.end(), kByStart);
  }
}

ThreadTimes::Spent ThreadTimes::In(uint64_t thread, TimeNs start, TimeNs end) const {
  Spent spent;
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return spent;
  const std::vector<Known>& known = found->second.known;
  for (auto k = std::lower_bound(known.begin(), known.end(), start, kEndsBy); k != known.end() && k->start < end; ++k)
    spent += Within(found->second, std::max(k->start, start), std::min(k->end, end));
  return spent;
}

ThreadTimes::Spent ThreadTimes::Within(const Thread& thread, TimeNs start, TimeNs end) {
  Spent spent;
  spent.known_ns = end - start;
  const std::vector<Off>& all = thread.off;
  for (auto off = std::lower_bound(all.begin(), all.end(), start, kEndsBy); off != all.end() && off->start < end;
       ++off) {
    const TimeNs from = std::max(off->start, start), to = std::min(off->end, end);
    if (from < to) (off->preempted ? spent.preempted_ns : spent.blocked_ns) += to - from;
    if (off->migrated && off->end <= end) ++spent.migrations;
  }
  spent.ran_ns = spent.known_ns - std::min(spent.known_ns, spent.preempted_ns + spent.blocked_ns);
  return spent;
}

}  // namespace slowtoken::analysis
