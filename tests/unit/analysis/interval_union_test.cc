#include "analysis/interval_union.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace slowtoken::analysis {
namespace {

using Gap = IntervalUnion::Gap;

struct Interval {
  TimeNs start, end;
};

// The oracle: one flag for every nanosecond.
std::vector<bool> Active(const std::vector<Interval>& intervals, TimeNs size) {
  std::vector<bool> active(size, false);
  for (const Interval& i : intervals)
    std::fill(active.begin() + static_cast<long>(i.start), active.begin() + static_cast<long>(i.end), true);
  return active;
}

std::vector<Interval> RandomIntervals(std::mt19937& random, size_t count, TimeNs size, TimeNs longest) {
  std::vector<Interval> intervals;
  for (size_t i = 0; i < count; ++i) {
    const TimeNs start = random() % (size - longest);
    intervals.push_back({start, start + random() % longest});
  }
  return intervals;
}

TEST(IntervalUnion, InOrderGapsNameWhatEndedThem) {
  std::vector<Gap> gaps;
  IntervalUnion all([&](const Gap& gap) { gaps.push_back(gap); });
  all.Add(10, 20, 1);
  all.Add(15, 18, 2);  // inside
  all.Add(20, 30, 3);  // touches
  all.Add(40, 50, 4);
  all.Add(45, 60, 5);
  all.Finish();
  EXPECT_EQ(all.covered(), 40u);
  EXPECT_EQ(all.first(), 10u);
  EXPECT_EQ(all.last(), 60u);
  EXPECT_EQ(gaps, (std::vector<Gap>{{30, 40, 4}}));
}

TEST(IntervalUnion, LateIntervalSplitsTheGapItLiesIn) {
  std::vector<Gap> gaps;
  IntervalUnion all([&](const Gap& gap) { gaps.push_back(gap); });
  all.Add(10, 20, 1);
  all.Add(100, 110, 2);
  all.Add(50, 60, 3);
  all.Finish();
  EXPECT_EQ(gaps, (std::vector<Gap>{{20, 50, 3}, {60, 100, 2}}));
  EXPECT_EQ(all.covered(), 30u);
}

TEST(IntervalUnion, WhatComesBeforeTheFirstMovesTheBeginning) {
  std::vector<Gap> gaps;
  IntervalUnion all([&](const Gap& gap) { gaps.push_back(gap); });
  all.Add(100, 110, 1);
  all.Add(10, 20, 2);
  all.Add(5, 105, 3);
  all.Finish();
  EXPECT_EQ(all.first(), 5u);
  EXPECT_EQ(all.covered(), 105u);
  EXPECT_TRUE(gaps.empty());
}

TEST(IntervalUnion, EmptyIntervalsAreNothing) {
  IntervalUnion all;
  all.Add(10, 10, 1);
  EXPECT_TRUE(all.empty());
  EXPECT_EQ(all.covered(), 0u);
}

TEST(IntervalUnion, BugLog115_EqualsABruteForceUnionInAnyOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const TimeNs size = 2000;
    std::vector<Interval> intervals = RandomIntervals(random, 1 + random() % 60, size, 1 + round % 50 + 1);
    if (round % 2 == 0)
      std::sort(intervals.begin(), intervals.end(), [](auto& a, auto& b) { return a.start < b.start; });
    uint64_t gap_sum = 0;
    TimeNs last_end = 0;
    IntervalUnion all([&](const Gap& gap) {
      EXPECT_LT(gap.start, gap.end);
      EXPECT_LE(last_end, gap.start) << "gaps come in order and do not overlap";
      last_end = gap.end;
      gap_sum += gap.end - gap.start;
    });
    for (size_t i = 0; i < intervals.size(); ++i) all.Add(intervals[i].start, intervals[i].end, i);
    all.Finish();
    const std::vector<bool> active = Active(intervals, size);
    EXPECT_EQ(all.covered(), static_cast<uint64_t>(std::count(active.begin(), active.end(), true)))
        << "round " << round;
    if (!all.empty()) {
      EXPECT_EQ(all.covered() + gap_sum, all.last() - all.first()) << "round " << round;
    }
  }
}

TEST(IntervalUnion, OldGapsAreHandedOutInOrderAndLateOnesCounted) {
  std::vector<Gap> gaps;
  IntervalUnion all([&](const Gap& gap) { gaps.push_back(gap); }, 2);
  for (TimeNs t = 10; t <= 50; t += 10) all.Add(t, t + 5, t);
  EXPECT_EQ(gaps, (std::vector<Gap>{{15, 20, 20}, {25, 30, 30}}));
  all.Add(26, 27, 99);
  EXPECT_EQ(all.late(), 1u);
  all.Finish();
  EXPECT_EQ(gaps.size(), 4u);
}

}  // namespace
}  // namespace slowtoken::analysis
