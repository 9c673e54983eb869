#include "analysis/summary_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace slowtoken::analysis {
namespace {

// What was handed out: requests and gaps with the process that concluded them; 9 is the engine that reads.
class Log final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::RequestSummary& r) override {
    text += "request " + std::to_string(r.req) + " by " + std::to_string(r.process) + "; ";
  }
  void On(const record::GapSummary& g) override {
    text += "gap " + std::to_string(g.n) + " by " + std::to_string(g.process) + "; ";
  }
  void On(const record::IterationSummary& i) override {
    text += "iteration " + std::to_string(i.key.iter) + " kernels " + std::to_string(i.kernels) + " rows " +
            std::to_string(i.decode_rows) + "; ";
  }
  std::string text;
};

record::RequestSummary Request(record::RequestId req, record::TimeNs arrival, record::TimeNs end, uint16_t process,
                               bool has_ttft = true) {
  record::RequestSummary summary;
  summary.req = req;
  summary.arrival = arrival;
  summary.end = end;
  summary.process = process;
  summary.has_ttft = has_ttft;
  summary.finish = record::FinishReason::kStop;
  return summary;
}

record::GapSummary GapOf(record::RequestId req, uint32_t n, record::TimeNs start, uint16_t process) {
  record::GapSummary gap;
  gap.req = req;
  gap.n = n;
  gap.start = start;
  gap.gap_ns = 10;
  gap.process = process;
  return gap;
}

class SummaryChoiceTest : public ::testing::Test {
 protected:
  SummaryChoiceTest() {
    processes_[0].index = 0;
    processes_[1].index = 1;
  }
  record::EventVisitor& computed() { return choice_.computed(); }
  record::EventVisitor& recorded() { return choice_.recorded(); }
  const std::string& Finish() {
    choice_.Finish();
    return log_.text;
  }

  std::vector<reader::ProcessInfo> processes_{2};
  Log log_;
  SummaryChoice choice_{processes_, log_};
};

TEST_F(SummaryChoiceTest, WithAllDetailTheComputedOneCounts) {
  recorded().On(GapOf(1, 2, 110, 0));
  recorded().On(Request(1, 100, 200, 0));
  computed().On(GapOf(1, 2, 110, 9));
  computed().On(Request(1, 100, 200, 9));
  EXPECT_EQ(log_.text, "gap 2 by 9; request 1 by 9; ") << "at once, nothing is kept";
  EXPECT_EQ(Finish(), "gap 2 by 9; request 1 by 9; ");
}

record::DetailChange LevelFrom(record::TimeNs time, record::DetailLevel level,
                               record::DetailReason reason = record::DetailReason::kBudget) {
  return {.time = time, .level = level, .reason = reason};
}

// The detail ends in the middle of its life: what was computed from it has no end, and is not the whole of it.
TEST_F(SummaryChoiceTest, WhereDetailEndsTheRecordedOneKnowsTheEnd) {
  recorded().On(LevelFrom(1, record::DetailLevel::kFull, record::DetailReason::kStart));
  recorded().On(LevelFrom(150, record::DetailLevel::kMetrics));
  record::RequestSummary cut = Request(1, 100, 140, 9);
  cut.finish = record::FinishReason::kUnfinished;
  computed().On(cut);
  recorded().On(GapOf(1, 2, 110, 0));
  recorded().On(Request(1, 100, 200, 0));
  EXPECT_EQ(Finish(), "gap 2 by 0; request 1 by 0; ");
}

// Sampled first, then less: between the two there was no full detail either.
TEST_F(SummaryChoiceTest, FromOneStepToTheNextItStaysUncovered) {
  recorded().On(LevelFrom(1, record::DetailLevel::kFull, record::DetailReason::kStart));
  recorded().On(LevelFrom(150, record::DetailLevel::kSampled));
  recorded().On(LevelFrom(300, record::DetailLevel::kMetrics));
  recorded().On(LevelFrom(150, record::DetailLevel::kSampled));  // in another file of the process
  computed().On(Request(1, 160, 250, 9));
  computed().On(Request(2, 100, 140, 9));
  EXPECT_EQ(log_.text, "request 2 by 9; ") << "it was over before";
  recorded().On(Request(1, 160, 250, 0));
  EXPECT_EQ(Finish(), "request 2 by 9; request 1 by 0; ");
}

TEST_F(SummaryChoiceTest, BackInFullDetailWhatArrivesLaterIsCovered) {
  recorded().On(LevelFrom(1, record::DetailLevel::kFull, record::DetailReason::kStart));
  recorded().On(LevelFrom(150, record::DetailLevel::kSampled));
  recorded().On(LevelFrom(300, record::DetailLevel::kFull, record::DetailReason::kSpare));
  computed().On(Request(1, 310, 400, 9));
  recorded().On(Request(2, 290, 400, 0));
  computed().On(Request(2, 290, 400, 9));
  record::RequestSummary unseen = Request(3, 0, 400, 9);  // its arrival lies where annotations were not kept
  computed().On(unseen);
  recorded().On(Request(3, 200, 400, 0));
  EXPECT_EQ(Finish(), "request 1 by 9; request 2 by 0; request 3 by 0; ");
}

TEST_F(SummaryChoiceTest, WithoutDetailTheProcessThatSawTheArrivalCounts) {
  processes_[0].detail_from = processes_[1].detail_from = UINT64_MAX;
  recorded().On(GapOf(1, 2, 110, 0));
  recorded().On(GapOf(1, 3, 120, 0));
  recorded().On(Request(1, 0, 200, 0, false));
  recorded().On(GapOf(1, 2, 110, 1));
  recorded().On(Request(1, 100, 200, 1));
  EXPECT_EQ(log_.text, "");
  EXPECT_EQ(Finish(), "gap 2 by 1; request 1 by 1; ");
}

TEST_F(SummaryChoiceTest, DetailThatBeginsWithinTheRequestIsNotEnough) {
  processes_[1].detail_from = 150;
  computed().On(Request(1, 100, 200, 9));
  recorded().On(Request(1, 100, 200, 1));
  computed().On(GapOf(2, 2, 170, 9));
  computed().On(Request(2, 160, 200, 9));
  recorded().On(GapOf(2, 2, 170, 1));
  recorded().On(Request(2, 160, 200, 1));
  EXPECT_EQ(Finish(), "gap 2 by 9; request 2 by 9; request 1 by 1; ");
}

TEST_F(SummaryChoiceTest, WhatNobodyRecordedIsComputedAfterAll) {
  processes_[0].detail_from = 150;
  computed().On(GapOf(1, 2, 110, 9));
  computed().On(Request(1, 100, 200, 9));
  EXPECT_EQ(log_.text, "");
  EXPECT_EQ(Finish(), "gap 2 by 9; request 1 by 9; ");
}

TEST_F(SummaryChoiceTest, ALowerLevelEndsTheDetail) {
  record::DetailChange change;
  change.time = 150;
  change.level = record::DetailLevel::kMetrics;
  change.reason = record::DetailReason::kCapped;
  change.process = 1;
  recorded().On(Request(1, 100, 140, 0));
  computed().On(Request(1, 100, 140, 9));
  recorded().On(change);
  recorded().On(Request(2, 100, 200, 0));
  computed().On(Request(2, 100, 200, 9));
  change.time = 300;
  change.level = record::DetailLevel::kFull;
  change.reason = record::DetailReason::kSpare;
  recorded().On(change);
  recorded().On(Request(3, 250, 400, 0));
  computed().On(Request(3, 250, 400, 9));
  recorded().On(Request(4, 310, 400, 0));
  computed().On(Request(4, 310, 400, 9));
  EXPECT_EQ(Finish(), "request 1 by 9; request 4 by 9; request 2 by 0; request 3 by 0; ");
}

TEST_F(SummaryChoiceTest, IterationsOfSeveralProcessesAreOne) {
  processes_[0].detail_from = UINT64_MAX;
  record::IterationSummary scheduled, launched;
  scheduled.key.iter = launched.key.iter = 5;
  scheduled.start = launched.start = 100;
  scheduled.end = launched.end = 200;
  scheduled.batch_known = true;
  scheduled.decode_rows = 3;
  launched.kernels = 7;
  launched.process = 1;
  recorded().On(scheduled);
  recorded().On(launched);
  computed().On(launched);
  EXPECT_EQ(Finish(), "iteration 5 kernels 7 rows 3; ");
}

}  // namespace
}  // namespace slowtoken::analysis
