// How a thread spent an interval, from the times it was off the CPU.
#include "analysis/thread_times.h"

#include <gtest/gtest.h>

#include <random>

namespace slowtoken::analysis {
namespace {

using record::OffCpuReason;
using record::TimeNs;

constexpr uint64_t kThread = 7;

void AddOff(ThreadTimes& times, TimeNs start, TimeNs end, OffCpuReason reason, bool migrated = false) {
  times.Add(record::OffCpu{start, end, kThread, reason, migrated, 0});
}
void AddSample(ThreadTimes& times, TimeNs start, TimeNs end, bool exact = true) {
  times.Add(record::CpuSample{.start = start, .end = end, .thread = kThread, .exact = exact});
}

TEST(ThreadTimes, SplitsAnInterval) {
  ThreadTimes times;
  AddSample(times, 100, 500);
  AddSample(times, 500, 1000);
  AddOff(times, 200, 300, OffCpuReason::kBlocked);
  AddOff(times, 600, 640, OffCpuReason::kPreempted, true);
  AddOff(times, 700, 700, OffCpuReason::kPreempted, true);  // too short to see, but it moved
  times.Finish();
  const ThreadTimes::Spent all = times.In(kThread, 100, 1000);
  EXPECT_EQ(all.known_ns, 900u);
  EXPECT_EQ(all.blocked_ns, 100u);
  EXPECT_EQ(all.preempted_ns, 40u);
  EXPECT_EQ(all.ran_ns, 760u);
  EXPECT_EQ(all.migrations, 2u);
  const ThreadTimes::Spent part = times.In(kThread, 250, 620);
  EXPECT_EQ(part.blocked_ns, 50u);
  EXPECT_EQ(part.preempted_ns, 20u);
  EXPECT_EQ(part.ran_ns, 300u);
  EXPECT_EQ(part.migrations, 0u) << "it came back later";
}

TEST(ThreadTimes, SaysNothingWhereNotEverySwitchIsKnown) {
  ThreadTimes times;
  AddSample(times, 100, 200);
  AddSample(times, 200, 300, false);
  AddOff(times, 210, 290, OffCpuReason::kBlocked);
  times.Finish();
  EXPECT_EQ(times.In(kThread, 200, 300).known_ns, 0u);
  EXPECT_EQ(times.In(kThread, 200, 300).blocked_ns, 0u);
  EXPECT_EQ(times.In(kThread, 100, 200).ran_ns, 100u);
  EXPECT_EQ(times.In(kThread, 100, 300).ran_ns, 100u);
  EXPECT_EQ(times.In(kThread, 100, 300).blocked_ns, 0u);
  EXPECT_EQ(times.In(kThread + 1, 100, 200).known_ns, 0u);
}

TEST(ThreadTimes, TimesThatCannotBeTrueAreLeftOut) {
  ThreadTimes times;
  AddSample(times, 1, ~TimeNs{0});
  AddOff(times, 500, 100, OffCpuReason::kBlocked);
  AddOff(times, 500, ~TimeNs{0}, OffCpuReason::kBlocked);
  times.Finish();
  EXPECT_EQ(times.In(kThread, 1, 1000).known_ns, 0u);
}

// Against a thread whose every nanosecond is known, in whatever order the events come.
TEST(ThreadTimes, AgreesWithCountingEachNanosecond) {
  std::mt19937 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  const auto below = [&](uint64_t n) { return random() % n; };
  enum State : char { kRan, kBlocked, kPreempted };
  std::vector<State> states(10'001, kRan);
  std::vector<record::OffCpu> offs;
  for (TimeNs at = 1 + below(20); at + 100 < states.size(); at += 1 + below(60)) {
    const TimeNs end = at + below(40);
    const bool blocked = below(2) == 0;
    std::fill(states.begin() + static_cast<ptrdiff_t>(at), states.begin() + static_cast<ptrdiff_t>(end),
              blocked ? kBlocked : kPreempted);
    offs.push_back({at, end, kThread, blocked ? OffCpuReason::kBlocked : OffCpuReason::kPreempted, below(3) == 0, 0});
    at = end;
  }
  std::shuffle(offs.begin(), offs.end(), random);
  ThreadTimes times;
  AddSample(times, 1, 10'000);
  for (const record::OffCpu& off : offs) times.Add(off);
  times.Finish();
  for (int i = 0; i < 500; ++i) {
    const TimeNs start = 1 + below(9000), end = start + 1 + below(900);
    uint64_t spent[3] = {}, moves = 0;
    for (TimeNs t = start; t < end; ++t) ++spent[states[t]];
    for (const record::OffCpu& off : offs)
      moves += off.migrated && off.end > start && off.end <= end && off.start < end;
    const ThreadTimes::Spent told = times.In(kThread, start, end);
    EXPECT_EQ(told.ran_ns, spent[kRan]);
    EXPECT_EQ(told.blocked_ns, spent[kBlocked]);
    EXPECT_EQ(told.preempted_ns, spent[kPreempted]);
    EXPECT_EQ(told.migrations, moves);
  }
}

}  // namespace
}  // namespace slowtoken::analysis
