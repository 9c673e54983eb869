// Which late records belong to a pause: the launch decides.
#include "capture/pause_gate.h"

#include <gtest/gtest.h>

namespace slowtoken::capture {
namespace {

record::ApiCall Call(record::CorrelationId id, base::TimeNs start) {
  record::ApiCall call;
  call.start = start;
  call.end = start + 1;
  call.correlation = id;
  return call;
}
record::Kernel Kernel(record::CorrelationId id, base::TimeNs start) {
  record::Kernel kernel;
  kernel.start = start;
  kernel.end = start + 1;
  kernel.correlation = id;
  return kernel;
}

class PauseGateTest : public ::testing::Test {
 protected:
  void Pause(base::TimeNs from, base::TimeNs to) {
    gate_.Begin(from);
    gate_.BeginRound(from + 1);
    if (to != 0) gate_.End(to);
  }
  PauseGate gate_;
};

TEST_F(PauseGateTest, WithoutAPauseEverythingPasses) {
  gate_.BeginRound(100);
  EXPECT_TRUE(gate_.Passes(Call(1, 50)));
  EXPECT_TRUE(gate_.Passes(Kernel(1, 60)));
}

TEST_F(PauseGateTest, CallsOfThePauseDoNotPassAndNeitherDoesTheirWork) {
  Pause(100, 200);
  EXPECT_TRUE(gate_.Passes(Call(1, 99)));
  EXPECT_FALSE(gate_.Passes(Call(2, 100)));
  EXPECT_FALSE(gate_.Passes(Call(3, 199)));
  EXPECT_TRUE(gate_.Passes(Call(4, 200)));
  EXPECT_FALSE(gate_.Passes(Kernel(2, 150)));
  EXPECT_FALSE(gate_.Passes(Kernel(3, 250))) << "launched in the pause, run after it";
  EXPECT_TRUE(gate_.Passes(Kernel(4, 260)));
}

TEST_F(PauseGateTest, WorkLaunchedBeforePassesWhenItRunsInThePause) {
  EXPECT_TRUE(gate_.Passes(Call(7, 90)));
  Pause(100, 0);
  EXPECT_TRUE(gate_.Passes(Call(8, 95))) << "a call from before that comes late";
  EXPECT_TRUE(gate_.Passes(Kernel(7, 120)));
  EXPECT_TRUE(gate_.Passes(Kernel(8, 121)));
  EXPECT_FALSE(gate_.Passes(Kernel(9, 122))) << "its call has not come: it is of the pause";
}

TEST_F(PauseGateTest, CopiesGraphsAndTheRest) {
  Pause(100, 200);
  record::Memcpy copy;
  copy.start = 150;
  copy.correlation = 5;
  EXPECT_FALSE(gate_.Passes(copy));
  record::Overhead overhead;
  overhead.start = 150;
  EXPECT_FALSE(gate_.Passes(overhead));
  overhead.start = 201;
  EXPECT_TRUE(gate_.Passes(overhead));
  record::Synchronization sync;
  sync.start = 150;
  sync.correlation = 5;
  EXPECT_FALSE(gate_.Passes(sync));
}

TEST_F(PauseGateTest, LongAfterThePauseItIsOpenAgain) {
  Pause(100, 200);
  gate_.BeginRound(20'000'000'000);
  EXPECT_TRUE(gate_.Passes(Kernel(1, 150)));
}

TEST_F(PauseGateTest, SeveralPausesAreRemembered) {
  Pause(100, 200);
  Pause(300, 400);
  EXPECT_FALSE(gate_.Passes(Call(1, 150)));
  EXPECT_TRUE(gate_.Passes(Call(2, 250)));
  EXPECT_FALSE(gate_.Passes(Call(3, 350)));
  EXPECT_FALSE(gate_.Passes(Kernel(1, 420)));
  EXPECT_TRUE(gate_.Passes(Kernel(2, 350)));
}

}  // namespace
}  // namespace slowtoken::capture
