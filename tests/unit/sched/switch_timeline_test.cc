#include "sched/switch_timeline.h"

#include <gmock/gmock.h>

#include "state_log.h"

namespace slowtoken::sched {
namespace {

using ::testing::ElementsAre;

// Times in µs.
class Timeline : public testing::Test {
 protected:
  Timeline() {
    timeline_.Begin(7, 0);
    In(0);
    Settle(1);
    timeline_.TakeSums();  // the first ones are inexact: the state at the begin is not known
  }
  void Out(uint64_t us, uint32_t cpu = 0) { timeline_.Add({us * 1000, true, false, cpu}, log_); }
  void Preempted(uint64_t us, uint32_t cpu = 0) { timeline_.Add({us * 1000, true, true, cpu}, log_); }
  void In(uint64_t us, uint32_t cpu = 0) { timeline_.Add({us * 1000, false, false, cpu}, log_); }
  void Settle(uint64_t us) { timeline_.Settle(us * 1000, log_); }
  void ExpectSums(uint64_t blocked_us, uint64_t preempted_us, bool exact = true) {
    const SwitchTimeline::Sums sums = timeline_.TakeSums();
    EXPECT_EQ(sums.blocked_ns, blocked_us * 1000);
    EXPECT_EQ(sums.preempted_ns, preempted_us * 1000);
    EXPECT_EQ(sums.exact, exact);
  }

  StateLog log_;
  SwitchTimeline timeline_;
};

TEST_F(Timeline, TimesOffTheCpuAreToldAndSummed) {
  Out(100);
  In(300);
  Preempted(400);
  In(460);
  Settle(1000);
  EXPECT_THAT(log_.Off(), ElementsAre("100-300b", "400-460p"));
  EXPECT_EQ(log_.off[0].thread, 7u);
  ExpectSums(200, 60);
  ExpectSums(0, 0);
}

TEST_F(Timeline, ShortOnesAreInTheSumsAlone) {
  for (uint64_t at = 100; at < 1000; at += 100) {
    Out(at);
    In(at + 49);
  }
  Out(1100);
  In(1150);
  Settle(2000);
  EXPECT_THAT(log_.Off(), ElementsAre("1100-1150b"));
  ExpectSums(9 * 49 + 50, 0);
}

TEST_F(Timeline, AMoveToAnotherCpuIsToldHoweverShort) {
  Out(100, 1);
  In(110, 2);
  Preempted(200, 2);
  In(201, 2);
  Preempted(300, 2);
  In(303, 0);
  Settle(1000);
  EXPECT_THAT(log_.Off(), ElementsAre("100-110b>", "300-303p>"));
  ExpectSums(10, 4);
}

TEST_F(Timeline, OfATimeToldInPiecesTheLastSaysThatItMoved) {
  Out(100, 1);
  Settle(1000);
  In(1001, 3);
  Out(2000, 3);
  Settle(3000);
  In(2990, 1);  // while 3000 was settled: nothing is left of the time, but it moved
  Settle(4000);
  EXPECT_THAT(log_.Off(), ElementsAre("100-1000b", "1000-1001b>", "2000-3000b", "3000-3000b>"));
}

TEST_F(Timeline, AfterALossNoMoveIsGuessed) {
  Out(100, 1);
  timeline_.Lose();
  In(200, 2);
  Out(300, 2);
  In(400, 2);
  Settle(1000);
  EXPECT_THAT(log_.Off(), ElementsAre("300-400b"));
}

TEST_F(Timeline, WhatLastsIsToldInPiecesThatTouch) {
  Out(100);
  Settle(1000);
  ExpectSums(900, 0);
  Settle(2000);
  ExpectSums(1000, 0);
  In(2010);  // the last piece may be short: the whole is not
  Settle(3000);
  EXPECT_THAT(log_.Off(), ElementsAre("100-1000b", "1000-2000b", "2000-2010b"));
  ExpectSums(10, 0);
}

TEST_F(Timeline, WhatIsYetShortIsToldWithItsTrueStartWhenItHasGrown) {
  Out(980);
  Settle(1000);
  EXPECT_THAT(log_.Off(), ElementsAre());
  ExpectSums(20, 0);
  In(1040);
  Settle(2000);
  EXPECT_THAT(log_.Off(), ElementsAre("980-1040b"));
  ExpectSums(40, 0);
}

TEST_F(Timeline, AWaitThatLastsIsSeen) {
  Preempted(100);
  EXPECT_TRUE(timeline_.waiting());
  Settle(500);
  ExpectSums(0, 400);
  In(510);
  EXPECT_FALSE(timeline_.waiting());
  Out(520);
  EXPECT_FALSE(timeline_.waiting());
}

TEST_F(Timeline, TheFirstStateIsNotGuessed) {
  StateLog log;
  SwitchTimeline timeline;
  timeline.Begin(7, 1000);
  timeline.Settle(900'000, log);
  EXPECT_FALSE(timeline.TakeSums().exact);
  timeline.Add({950'000, false, false}, log);  // it was off the CPU, since when and why is not known
  timeline.Settle(1'000'000, log);
  EXPECT_TRUE(log.off.empty());
  EXPECT_FALSE(timeline.TakeSums().exact);
  timeline.Settle(2'000'000, log);
  EXPECT_TRUE(timeline.TakeSums().exact);
}

TEST_F(Timeline, AfterALossNothingIsKnownUntilTheNextSwitch) {
  Out(100);
  timeline_.Lose();
  Settle(1000);
  EXPECT_THAT(log_.Off(), ElementsAre());
  ExpectSums(0, 0, false);
  In(1500);
  Out(1600);
  Settle(2000);
  EXPECT_THAT(log_.Off(), ElementsAre("1600-2000b"));
  ExpectSums(400, 0, false);
  Settle(3000);
  ExpectSums(1000, 0, true);
}

TEST_F(Timeline, SwitchesThatCannotFollowOneAnotherAreInexact) {
  Out(100);
  Out(300);  // one back in is missing
  In(400);
  Settle(1000);
  EXPECT_THAT(log_.Off(), ElementsAre("300-400b"));
  ExpectSums(100, 0, false);
  In(1100);
  Settle(2000);
  ExpectSums(0, 0, false);
}

TEST_F(Timeline, ATimeALittleBackIsTakenAsNowAndOneFarBackIsInexact) {
  Out(1000);
  In(950);
  Settle(1500);
  ExpectSums(0, 0);
  Out(1450);  // was on its way while 1500 was settled
  In(1600);
  Settle(2000);
  ExpectSums(100, 0);
  EXPECT_THAT(log_.Off(), ElementsAre("1500-1600b"));
  Out(1000);
  Settle(3000);
  ExpectSums(1000, 0, false);
}

// While a ring is replaced by a wider one both get the same switches, the second some ns later.
TEST_F(Timeline, WhatASecondRingRepeatsIsLeftOut) {
  Out(100);
  In(200);
  Out(300);
  timeline_.SkipRepeated();
  timeline_.Add({200'100, false, false}, log_);
  timeline_.Add({300'150, true, false}, log_);
  In(400);
  Settle(1000);
  EXPECT_THAT(log_.Off(), ElementsAre("100-200b", "300-400b"));
  ExpectSums(200, 0);
  EXPECT_EQ(timeline_.switches(), 5u);
}

TEST_F(Timeline, AfterASecondRingTheNextSwitchCountsHoweverSoonItComes) {
  Out(300);
  timeline_.SkipRepeated();
  In(301);
  Out(302);
  In(402);
  Settle(1000);
  EXPECT_THAT(log_.Off(), ElementsAre("302-402b"));
  ExpectSums(101, 0);
}

}  // namespace
}  // namespace slowtoken::sched
