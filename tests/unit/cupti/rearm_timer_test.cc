#include "cupti/rearm_timer.h"

#include <gtest/gtest.h>

#include "../times.h"

namespace slowtoken::cupti {
namespace {

class RearmTimerTest : public testing::Test {
 protected:
  RearmTimerTest() { timer_.Init({}); }
  RearmTimer timer_;
};

TEST_F(RearmTimerTest, LooksAfterASecondThenEverLessOften) {
  base::TimeNs now = 100 * kSecond;
  timer_.BlindBegan(now, true);
  EXPECT_FALSE(timer_.Due(now)) << "it has just been seen";
  for (const base::TimeNs wait : {1, 2, 4, 8, 10, 10}) {
    EXPECT_FALSE(timer_.Due(now + wait * kSecond - 1)) << wait;
    now += wait * kSecond;
    EXPECT_TRUE(timer_.Due(now)) << wait;
    timer_.NotYet(now, true);
  }
}

TEST_F(RearmTimerTest, ASubscriberThatHasGoneIsGone) {
  timer_.BlindBegan(100 * kSecond, false);
  EXPECT_TRUE(timer_.Due(100 * kSecond)) << "who is there?";
  EXPECT_FALSE(timer_.MayArm(101 * kSecond)) << "whoever took the buffers may still be there, unsubscribed";
  timer_.NotYet(101 * kSecond, true);
  EXPECT_TRUE(timer_.MayArm(103 * kSecond));
}

TEST_F(RearmTimerTest, AClientThatNeverSubscribedGetsALongTime) {
  timer_.BlindBegan(100 * kSecond, false);
  EXPECT_FALSE(timer_.MayArm(129 * kSecond));
  EXPECT_TRUE(timer_.MayArm(130 * kSecond));
}

TEST_F(RearmTimerTest, AndTwiceAsLongEachTimeItComesBackSoon) {
  base::TimeNs now = 100 * kSecond;
  for (const base::TimeNs patience : {30, 60, 120, 240, 480, 600, 600}) {
    timer_.BlindBegan(now, false);
    EXPECT_FALSE(timer_.MayArm(now + patience * kSecond - 1)) << patience;
    EXPECT_TRUE(timer_.MayArm(now + patience * kSecond)) << patience;
    now += patience * kSecond;
    timer_.Armed(now);
    now += 5 * kSecond;
  }
  now += 60 * kSecond;  // all was well for a while
  timer_.BlindBegan(now, false);
  EXPECT_TRUE(timer_.MayArm(now + 30 * kSecond));
}

}  // namespace
}  // namespace slowtoken::cupti
