// A pause of the whole pipeline: what it leaves in the trace.
#include <gmock/gmock.h>

#include "recorded_trace.h"
#include "scripted_source.h"

namespace slowtoken::capture::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class PauseWatcher final : public record::EventVisitor {
 public:
  void On(const record::ApiCall& call) override { calls.push_back(call.correlation); }
  void On(const record::Kernel& kernel) override { kernels.push_back(kernel.correlation); }
  void On(const record::SourceStatus& status) override {
    if (status.state == record::SourceState::kPaused) paused = status.time;
    if (status.state == record::SourceState::kActive) active = status.time;
  }
  void On(const record::Advance& advance) override {
    if (advance.watermark != UINT64_MAX) last_watermark = advance.watermark;
  }
  void On(const record::LossTotals& totals) override {
    for (const uint64_t count : totals.counts) lost += count;
  }
  std::vector<record::CorrelationId> calls, kernels;
  record::TimeNs paused = 0, active = 0, last_watermark = 0;
  uint64_t lost = 0;
};

class PauseTest : public ::testing::Test {
 protected:
  PauseWatcher End() {
    trace_.pipeline().LastRound(base::MonotonicNow());
    PauseWatcher seen;
    trace_.ReplayFrom(0, seen);
    return seen;
  }
  Pipeline& pipeline() { return trace_.pipeline(); }

  ScriptedSource source_;
  RecordedTrace trace_{source_};
};

TEST_F(PauseTest, WhatWasLaunchedMeanwhileIsNotThereAndTheTimeIsBlind) {
  source_.AddLaunch(1);
  pipeline().Round();
  const base::TimeNs before = base::MonotonicNow();
  pipeline().Pause(true);
  pipeline().Round();
  source_.AddKernel(1);  // launched before, runs and arrives within the pause
  source_.AddLaunch(2);
  source_.AddKernel(2);
  source_.AddLaunch(3);
  pipeline().Round();
  pipeline().Pause(false);
  pipeline().Round();
  const base::TimeNs after = base::MonotonicNow();
  source_.AddKernel(3);  // launched within the pause, runs after it
  source_.AddLaunch(4);
  source_.AddKernel(4);
  pipeline().Round();
  const PauseWatcher seen = End();
  EXPECT_THAT(seen.calls, ElementsAre(1, 4));
  EXPECT_THAT(seen.kernels, UnorderedElementsAre(1, 4));
  EXPECT_GE(seen.paused, before);
  EXPECT_LE(seen.active, after);
  EXPECT_LT(seen.paused, seen.active);
  EXPECT_EQ(seen.lost, 0u);
}

TEST_F(PauseTest, WhatWasRecordedIsWrittenWhileThePauseLasts) {
  pipeline().Round();
  pipeline().Pause(true);
  source_.AddLaunch(1);
  pipeline().Round();
  PauseWatcher seen;
  trace_.ReplayFrom(0, seen);
  EXPECT_THAT(seen.calls, ElementsAre(1)) << "its round ended with the pause";
  EXPECT_GE(seen.last_watermark, seen.paused - 1'000'000'000);
}

TEST_F(PauseTest, PausedToTheEnd) {
  pipeline().Pause(true);
  pipeline().Round();
  source_.AddLaunch(1);
  const PauseWatcher seen = End();
  EXPECT_TRUE(seen.calls.empty());
  EXPECT_NE(seen.paused, 0u);
  EXPECT_EQ(seen.active, 0u);
}

TEST_F(PauseTest, StopAndStartWithinARoundIsNoPause) {
  pipeline().Pause(true);
  pipeline().Pause(false);
  source_.AddLaunch(1);
  pipeline().Round();
  const PauseWatcher seen = End();
  EXPECT_THAT(seen.calls, ElementsAre(1));
  EXPECT_EQ(seen.paused, 0u);
}

}  // namespace
}  // namespace slowtoken::capture::testing
