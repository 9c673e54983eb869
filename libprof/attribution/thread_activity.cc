#include "attribution/thread_activity.h"

namespace slowtoken::attribution {
namespace {

template <typename Item>
void DropFirst(std::span<Item> items, size_t* count, size_t dropped) {
  std::copy(items.begin() + static_cast<ptrdiff_t>(dropped), items.begin() + static_cast<ptrdiff_t>(*count),
            items.begin());
  *count -= dropped;
}

// Keeps the items ordered by end; full: a quarter goes. Returns how many went.
template <typename Item>
size_t Insert(std::span<Item> items, size_t* count, const Item& item) {
  size_t dropped = 0;
  if (*count == items.size()) {
    dropped = std::max<size_t>(items.size() / 4, 1);
    DropFirst(items, count, dropped);
  }
  size_t at = (*count)++;
  for (; at > 0 && items[at - 1].end > item.end; --at) items[at] = items[at - 1];
  items[at] = item;
  return dropped;
}

template <typename Item>
void PruneItems(std::span<Item> items, size_t* count, TimeNs before) {
  size_t old = 0;
  while (old < *count && items[old].end < before) ++old;
  if (old != 0) DropFirst(items, count, old);
}

}  // namespace

bool ThreadActivity::Init(base::Arena& arena, uint32_t off_cpu, uint32_t samples, base::LossCounters& losses) {
  losses_ = &losses;
  off_ = arena.AllocateArray<Off>(off_cpu);
  samples_ = arena.AllocateArray<Sample>(samples);
  host_ = arena.AllocateArray<record::HostSample>(kHostSamples);
  return !off_.empty() && !samples_.empty() && !host_.empty();
}

void ThreadActivity::Add(const record::OffCpu& off) {
  if (off.start > off.end || (off.start == off.end && !off.migrated)) return;
  const Off item{ThreadKey(off.process, off.thread), off.start, off.end, off.reason == record::OffCpuReason::kPreempted,
                 off.migrated};
  losses_->Add(base::Loss::kThreadStatesFull, Insert(off_, &off_count_, item));
}

void ThreadActivity::Add(const record::CpuSample& sample) {
  if (sample.start >= sample.end) return;
  const Sample item{ThreadKey(sample.process, sample.thread),
                    sample.start,
                    sample.end,
                    sample.ran_ns,
                    sample.waited_ns,
                    sample.exact};
  losses_->Add(base::Loss::kThreadStatesFull, Insert(samples_, &sample_count_, item));
}

void ThreadActivity::Add(const record::HostSample& sample) {
  if (sample.start < sample.end) Insert(host_, &host_count_, sample);
}

ThreadActivity::Answer ThreadActivity::Over(uint64_t thread, const Pieces& pieces) const {
  Answer answer;
  answer.exact = true;
  const uint64_t wanted = pieces.length();
  uint64_t covered = 0, off_by_totals = 0, waited_by_totals = 0;
  ForEachOf(samples_.first(sample_count_), thread, pieces.start(), pieces.end(), [&](const Sample& sample) {
    const uint64_t shared = pieces.Shared(sample.start, sample.end);
    if (shared == 0) return;
    const uint64_t whole = sample.end - sample.start;
    covered += shared;
    answer.exact = answer.exact && sample.exact;
    const double share = static_cast<double>(shared) / static_cast<double>(whole);
    const uint64_t off = whole - std::min(whole, sample.ran_ns);
    off_by_totals += static_cast<uint64_t>(static_cast<double>(off) * share);
    waited_by_totals += std::min(sample.waited_ns, shared);
  });
  answer.known = wanted != 0 && IsKnown(covered, wanted);
  if (!answer.known) return {};
  if (!answer.exact) {
    answer.off_ns = off_by_totals;
    answer.waited_ns = std::min(waited_by_totals, off_by_totals);
    return answer;
  }
  Coverage off(pieces), preempted(pieces);
  ForEachOf(off_.first(off_count_), thread, pieces.start(), pieces.end(), [&](const Off& time) {
    off.Add(time.start, time.end);
    if (time.preempted) preempted.Add(time.start, time.end);
    if (time.migrated && pieces.Shared(time.end - 1, time.end) != 0) ++answer.migrations;
  });
  answer.off_ns = off.length();
  answer.off_start = off.start();
  answer.off_end = off.end();
  answer.preempted_ns = std::min(preempted.length(), answer.off_ns);
  answer.waited_ns = Waited(answer.off_ns, answer.preempted_ns, waited_by_totals);
  return answer;
}

ThreadActivity::Taken ThreadActivity::TakenFrom(record::ProcessIndex process, TimeNs from, TimeNs to) const {
  Taken taken;
  for (size_t i = host_count_; i > 0 && host_[i - 1].end > from; --i) {
    const record::HostSample& sample = host_[i - 1];
    if (sample.process != process || sample.start >= to) continue;
    taken.throttled_ns += sample.throttled_ns;
    taken.major_faults += sample.major_faults;
  }
  return taken;
}

void ThreadActivity::Prune(TimeNs before) {
  PruneItems(off_, &off_count_, before);
  PruneItems(samples_, &sample_count_, before);
  PruneItems(host_, &host_count_, before);
}

}  // namespace slowtoken::attribution
