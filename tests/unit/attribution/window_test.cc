// What the tables show of a window of time, against a look at everything they hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "attribution/host_work.h"
#include "attribution/iteration_table.h"
#include "attribution/thread_activity.h"

namespace slowtoken::attribution {
namespace {

struct Window {
  TimeNs from, to;
  bool Meets(TimeNs start, TimeNs end) const { return end > from && start < to; }
};

class WindowTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  WindowTest() : random_(GetParam()) { EXPECT_TRUE(arena_.Reserve(8u << 20, false)); }
  ~WindowTest() override { arena_.Release(); }

  uint64_t Below(uint64_t limit) { return random_() % limit; }
  Window Any() {
    const TimeNs from = 1000 + Below(100'000);
    return {from, from + 1 + Below(Below(3) == 0 ? 50'000 : 500)};
  }

  std::mt19937_64 random_;
  base::Arena arena_;
  base::LossCounters losses_;
};

// Wherever the walk starts; iterations overlap, some have no GPU work, some are not sealed, old ones were recycled.
TEST_P(WindowTest, IterationsOnTheGpu) {
  IntervalPool intervals;
  IterationTable table;
  ASSERT_TRUE(intervals.Init(arena_, 64, 64, losses_) && table.Init(arena_, 200, intervals, losses_));
  std::vector<PoolIndex> held;
  for (uint64_t i = 0; i < 300; ++i) {
    const PoolIndex index = table.FindOrAdd({.iter = i});
    ASSERT_NE(index, 0u);
    const TimeNs start = 1000 + i * 300 + Below(600);
    table[index].all = {start, start + 400};
    if (Below(5) != 0) table[index].gpu = {start, start + 1 + Below(Below(10) == 0 ? 20'000 : 400)};
    if (Below(20) != 0) table.MarkSealed(index);
    std::erase(held, index);
    held.push_back(index);
  }
  table.UpdateUnsealedStarts();
  for (int i = 0; i < 200; ++i) {
    const Window window = Any();
    std::set<uint64_t> wanted, seen;
    for (const PoolIndex index : held) {
      if (table[index].has_gpu() && window.Meets(table[index].gpu.start, table[index].gpu.end)) {
        wanted.insert(table[index].key.iter);
      }
    }
    const Iteration* near = Below(4) == 0 ? nullptr : &table[held[Below(held.size())]];
    table.ForEachOnGpu(window.from, window.to, near, [&](const Iteration& iteration) {
      EXPECT_TRUE(seen.insert(iteration.key.iter).second) << "twice";
    });
    EXPECT_EQ(seen, wanted) << window.from << " to " << window.to;
  }
}

TEST_P(WindowTest, HostWork) {
  HostWork work;
  ASSERT_TRUE(work.Init(arena_, 1000, losses_));
  std::vector<Window> held;
  TimeNs newest = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    const TimeNs start = 1000 + i * 300 + Below(2000);
    record::Annotation annotation;
    annotation.name = record::AnnotationName::kGc;
    annotation.start = start;
    annotation.end = start + 1 + Below(Below(20) == 0 ? 30'000 : 500);
    work.Add(annotation);
    held.push_back({annotation.start, annotation.end});
    newest = std::max(newest, annotation.end);
    if (i % 50 == 49) {
      const TimeNs before = newest - std::min<TimeNs>(newest, 10'000);
      work.Prune(before);
      std::erase_if(held, [&](const Window& item) { return item.to < before; });
    }
  }
  for (int i = 0; i < 200; ++i) {
    const Window window = Any();
    std::multiset<TimeNs> wanted, seen;
    for (const Window& item : held) {
      if (window.Meets(item.from, item.to)) wanted.insert(item.from);
    }
    work.ForEachIn(window.from, window.to, [&](const HostWorkItem& item) { seen.insert(item.start); });
    EXPECT_EQ(seen, wanted) << window.from << " to " << window.to;
  }
}

TEST_P(WindowTest, TimesOffTheCpu) {
  ThreadActivity activity;
  ASSERT_TRUE(activity.Init(arena_, 2000, 100, losses_));
  std::vector<std::vector<Window>> held(3);
  for (uint32_t thread = 0; thread < held.size(); ++thread) {
    for (TimeNs at = 1000; at < 100'000;) {
      const TimeNs start = at + 1 + Below(300);
      const TimeNs end = start + 1 + Below(Below(10) == 0 ? 5000 : 300);
      activity.Add(record::OffCpu{.start = start, .end = end, .thread = thread});
      held[thread].push_back({start, end});
      at = end;
    }
  }
  for (int i = 0; i < 200; ++i) {
    const Window window = Any();
    const auto thread = static_cast<uint32_t>(Below(held.size()));
    std::vector<TimeNs> wanted, seen;
    for (const Window& off : held[thread]) {
      if (window.Meets(off.from, off.to)) wanted.push_back(off.from);
    }
    activity.ForEachOff(ThreadKey(0, thread), window.from, window.to,
                        [&](TimeNs start, TimeNs, bool) { seen.push_back(start); });
    EXPECT_EQ(seen, wanted) << window.from << " to " << window.to;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WindowTest, ::testing::Range(1u, 21u));

}  // namespace
}  // namespace slowtoken::attribution
