// Blind intervals: when a source was silent, and which gaps and first tokens say so.
#include <gmock/gmock.h>

#include <numeric>

#include "attribution/blind_intervals.h"
#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::BlindReason;
using record::Source;
using record::SourceState;

// The source is blind from `time` on; kNone: active again.
record::SourceStatus Status(BlindReason reason, TimeNs time, Source source = Source::kCupti,
                            record::ProcessIndex process = 0) {
  record::SourceStatus status;
  status.source = source;
  status.state = reason == BlindReason::kNone ? SourceState::kActive : SourceState::kLost;
  status.reason = reason;
  status.time = time;
  status.process = process;
  return status;
}

class BlindIntervalsTest : public ::testing::Test {
 protected:
  BlindIntervalsTest() {
    EXPECT_TRUE(arena_.Reserve(1 << 20, false));
    EXPECT_TRUE(blind_.Init(arena_, 8));
  }
  ~BlindIntervalsTest() override { arena_.Release(); }
  uint64_t Length(record::ProcessIndex process, Source source, TimeNs until) {
    BlindIntervals::Lengths by{};
    blind_.AddLengths(process, source, until, &by);
    return std::accumulate(by.begin(), by.end(), uint64_t{0});
  }
  base::Arena arena_;
  BlindIntervals blind_;
};

TEST_F(BlindIntervalsTest, FromTheChangeToTheReturn) {
  blind_.Add(Status(BlindReason::kNone, 10));
  blind_.Add(Status(BlindReason::kPaused, 100));
  blind_.Add(Status(BlindReason::kNone, 200));
  EXPECT_FALSE(blind_.Overlap(50, 99));
  EXPECT_TRUE(blind_.Overlap(50, 100));
  EXPECT_TRUE(blind_.Overlap(120, 130));
  EXPECT_TRUE(blind_.Overlap(199, 300));
  EXPECT_FALSE(blind_.Overlap(200, 300));
  EXPECT_EQ(Length(0, Source::kCupti, 1000), 100u);
  EXPECT_EQ(Length(0, Source::kCupti, 150), 50u);
}

TEST_F(BlindIntervalsTest, InAnyOrderAndRepeated) {
  for (int i = 0; i < 3; ++i) {
    blind_.Add(Status(BlindReason::kNone, 200));
    blind_.Add(Status(BlindReason::kTornDown, 100));
    blind_.Add(Status(BlindReason::kNone, 10));
  }
  EXPECT_TRUE(blind_.Overlap(150, 150));
  EXPECT_FALSE(blind_.Overlap(250, 260));
  EXPECT_EQ(Length(0, Source::kCupti, 1000), 100u);
}

TEST_F(BlindIntervalsTest, OneStateFollowsAnother) {
  blind_.Add(Status(BlindReason::kOtherTool, 100));
  blind_.Add(Status(BlindReason::kPaused, 150));
  blind_.Add(Status(BlindReason::kRearmFailed, 180));
  blind_.Add(Status(BlindReason::kNone, 200));
  EXPECT_EQ(Length(0, Source::kCupti, 1000), 100u);
  EXPECT_TRUE(blind_.Overlap(160, 161));
  BlindIntervals::Lengths by{};
  blind_.AddLengths(0, Source::kCupti, 1000, &by);
  EXPECT_EQ(by[static_cast<size_t>(BlindReason::kOtherTool)], 50u);
  EXPECT_EQ(by[static_cast<size_t>(BlindReason::kPaused)], 30u);
  EXPECT_EQ(by[static_cast<size_t>(BlindReason::kRearmFailed)], 20u);
}

TEST_F(BlindIntervalsTest, SourcesAndProcessesAreApart) {
  blind_.Add(Status(BlindReason::kPaused, 100, Source::kNvtx, 1));
  blind_.Add(Status(BlindReason::kNone, 120, Source::kCupti, 1));
  blind_.Add(Status(BlindReason::kNone, 120, Source::kNvtx, 0));
  EXPECT_TRUE(blind_.Overlap(500, 600)) << "nobody said that NVTX of process 1 goes on";
  EXPECT_EQ(Length(1, Source::kCupti, 1000), 0u);
  EXPECT_EQ(Length(1, Source::kNvtx, 1000), 900u);
}

TEST_F(BlindIntervalsTest, WhereThereIsNothingToRecordNobodyIsBlind) {
  record::SourceStatus status;
  status.time = 10;
  for (const SourceState state : {SourceState::kUnknown, SourceState::kNoDriver, SourceState::kNotFound}) {
    status.state = state;
    blind_.Add(status);
  }
  EXPECT_FALSE(blind_.Overlap(0, 1000));
}

TEST_F(BlindIntervalsTest, AFailureDoesNotEndIt) {
  blind_.Add(Status(BlindReason::kOtherTool, 100));
  record::SourceStatus failed;
  failed.state = SourceState::kFailed;
  failed.time = 150;
  blind_.Add(failed);
  EXPECT_TRUE(blind_.Overlap(160, 170));
}

TEST_F(BlindIntervalsTest, WhenFullTheOldestGivesWay) {
  for (TimeNs t = 1; t <= 100; ++t) {
    blind_.Add(Status(t % 2 == 1 ? BlindReason::kPaused : BlindReason::kNone, t * 100));
  }
  EXPECT_TRUE(blind_.Overlap(9'950, 9'960));
  EXPECT_FALSE(blind_.Overlap(10'000, 11'000));
  EXPECT_FALSE(blind_.Overlap(100, 300));
}

// The plain request: arrival 0, tokens sent at 2800, 4800 and 6800 µs.
class BlindRequest : public ::testing::Test {
 protected:
  void Play(std::initializer_list<record::SourceStatus> changes) {
    for (const record::SourceStatus& change : changes) bench_.engine().On(change);
    Scene scene(bench_);
    PlainRequest(scene, kBase);
    scene.Play();
  }
  TimeNs At(uint64_t us) const { return kBase + us * kUs; }
  bool Ttft() { return (bench_.out().Find(1)->flags & record::kOverlapsBlind) != 0; }
  std::vector<bool> Gaps() {
    std::vector<bool> flags;
    for (const record::GapSummary& gap : bench_.out().GapsOf(1)) {
      flags.push_back((gap.flags & record::kOverlapsBlind) != 0);
    }
    return flags;
  }
  static constexpr TimeNs kBase = 100 * kSecond;
  Bench bench_;
};

TEST_F(BlindRequest, NothingIsFlaggedWhileAllSourcesSpeak) {
  Play({Status(BlindReason::kNone, At(0)), Status(BlindReason::kNone, At(10))});
  EXPECT_FALSE(Ttft());
  EXPECT_THAT(Gaps(), ::testing::ElementsAre(false, false));
}

TEST_F(BlindRequest, OnlyTheGapInWhichItHappenedIsFlagged) {
  Play({Status(BlindReason::kPaused, At(5000)), Status(BlindReason::kNone, At(5100))});
  EXPECT_FALSE(Ttft());
  EXPECT_THAT(Gaps(), ::testing::ElementsAre(false, true));
}

TEST_F(BlindRequest, BeforeTheFirstTokenTheRequestIsFlagged) {
  Play({Status(BlindReason::kTornDown, At(500)), Status(BlindReason::kNone, At(600))});
  EXPECT_TRUE(Ttft());
  EXPECT_THAT(Gaps(), ::testing::ElementsAre(false, false));
}

TEST_F(BlindRequest, WithoutReturnEverythingAfterIsBlind) {
  Play({Status(BlindReason::kOtherTool, At(3000), Source::kCupti)});
  EXPECT_FALSE(Ttft());
  EXPECT_THAT(Gaps(), ::testing::ElementsAre(true, true));
}

TEST_F(BlindRequest, NvtxCountsAsMuchAsCupti) {
  Play({Status(BlindReason::kPaused, At(100), Source::kNvtx), Status(BlindReason::kNone, At(200), Source::kNvtx)});
  EXPECT_TRUE(Ttft());
}

}  // namespace
}  // namespace slowtoken::attribution::testing
