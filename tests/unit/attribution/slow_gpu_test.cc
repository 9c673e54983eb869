// Stalls of a request whose GPU did the same work more slowly, and gaps that are hardly longer than usual.
#include "stall_scene.h"

namespace slowtoken::attribution::testing {
namespace {

TEST_F(StallCausesTest, TheSameWorkThatTakesLonger) {
  Play({.gpu = 32 * kMs});
  ExpectCause(Cause::kGpuSlow, EvidenceKind::kSlowKernels);
  EXPECT_NEAR(static_cast<double>(Stall().finding.amount), 2e6, 2e4) << "the usual time";
}

// A sample of the GPU half a second before the odd step.
TEST_F(StallCausesTest, TheSameWorkThatTakesLongerWhileTheClocksAreHeldDown) {
  Play({.gpu = 32 * kMs}, [&](const Times& t) { Log(Sample(t.gpu - 500 * kMs, 0x4 | 0x1), t.gpu); });
  ExpectCause(Cause::kGpuSlow, EvidenceKind::kClocks);
  EXPECT_EQ(Stall().finding.amount, 0x4u) << "only reasons that slow a GPU down";
}

TEST_F(StallCausesTest, ClocksHeldDownLongBeforeOrOnAnotherGpuExplainNothing) {
  Play({.gpu = 32 * kMs}, [&](const Times& t) {
    Log(Sample(t.gpu - 1500 * kMs, 0x4), t.gpu);
    record::DeviceSample other = Sample(t.gpu, 0x40);
    other.device = 1;
    Log(other, t.gpu);
  });
  ExpectCause(Cause::kGpuSlow, EvidenceKind::kSlowKernels);
}

TEST_F(StallCausesTest, ClocksHeldDownAreNoCauseWhereTheWorkTookAsLongAsEver) {
  Play({.schedule = 30 * kMs}, [&](const Times& t) { Log(Sample(t.gpu, 0x4), t.gpu); });
  EXPECT_NE(Stall().finding.cause, Cause::kGpuSlow);
}

// The service level lies just above the usual gap of 2.9 ms.
class TightLevelTest : public StallCausesTest {
 protected:
  static EngineConfig Tight() {
    EngineConfig config = SmallConfig();
    config.slo_itl_ns = 2950 * kUs;
    return config;
  }
  TightLevelTest() : StallCausesTest(Tight()) {}
};

TEST_F(TightLevelTest, WhatIsHardlyLongerThanUsualExplainsNothing) {
  Play({.sample = 300 * kUs});
  EXPECT_EQ(Stall().largest_phase, GapPhase::kSample);
  EXPECT_NEAR(static_cast<double>(Stall().excess_ns), 1e5, 1e3);
  EXPECT_EQ(Stall().finding, CauseFinding{});
}

TEST_F(TightLevelTest, WhatIsClearlyLongerDoes) {
  Play({.sample = 500 * kUs});
  ExpectCause(Cause::kSampling, EvidenceKind::kSampleWork);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
