// The governor's steps, with time and cost made up.
#include "capture/budget_governor.h"

#include <gtest/gtest.h>

#include <vector>

#include "../times.h"

namespace slowtoken::capture {
namespace {

using record::DetailLevel;
using record::DetailReason;

constexpr uint32_t kOnePercent = 10'000;

class BudgetGovernorTest : public ::testing::Test {
 protected:
  explicit BudgetGovernorTest(uint32_t budget_ppm = kOnePercent, record::DetailChange asked = {}) {
    governor_.Init(budget_ppm, asked);
  }

  // So many seconds of rounds in which slowtoken takes `share` of a CPU.
  void Run(double seconds, double share) {
    constexpr base::TimeNs kRound = 250'000'000;
    for (base::TimeNs end = now_ + static_cast<base::TimeNs>(seconds * kSecond); now_ < end;) {
      now_ += kRound;
      cost_ += static_cast<uint64_t>(share * kRound);
      record::DetailChange change;
      if (governor_.Look(now_, cost_, change)) changes_.push_back(change);
    }
  }
  std::vector<DetailLevel> Levels() const {
    std::vector<DetailLevel> levels;
    for (const record::DetailChange& change : changes_) levels.push_back(change.level);
    return levels;
  }

  BudgetGovernor governor_;
  base::TimeNs now_ = 100 * kSecond;
  uint64_t cost_ = 3 * kSecond;  // what starting took
  std::vector<record::DetailChange> changes_;
};

TEST_F(BudgetGovernorTest, GoesDownStepByStepWhileAboveTheBudget) {
  Run(60, 0.015);
  EXPECT_EQ(Levels(), (std::vector{DetailLevel::kSampled, DetailLevel::kAnnotations, DetailLevel::kMetrics}));
  const record::DetailChange& first = changes_[0];
  EXPECT_EQ(first.keep_one_in, 10u);
  EXPECT_EQ(first.reason, DetailReason::kBudget);
  EXPECT_EQ(first.budget_ppm, kOnePercent);
  EXPECT_NEAR(first.cost_ppm, 15'000, 10);
  EXPECT_EQ(first.time, 100 * kSecond + kSecond / 4 + 2 * BudgetGovernor::kWindow)
      << "two windows after the first look";
  EXPECT_EQ(changes_[1].time - first.time, 2 * BudgetGovernor::kWindow) << "what a step brings is waited for";
}

TEST_F(BudgetGovernorTest, WhatStartingCostsIsNotHeldAgainstIt) {
  Run(60, 0.005);
  EXPECT_TRUE(changes_.empty()) << "3 s of CPU before the first look";
}

TEST_F(BudgetGovernorTest, OneDearWindowIsNoReasonUnlessFarAboveTheBudget) {
  for (int i = 0; i < 20; ++i) {
    Run(4, 0.018);
    Run(4, 0.007);
  }
  EXPECT_TRUE(changes_.empty());
  Run(7, 0.021);
  EXPECT_EQ(Levels(), (std::vector{DetailLevel::kSampled})) << "at once";
}

TEST_F(BudgetGovernorTest, GoesUpAgainOneStepAtATimeAndOnlyWellBelowTheBudget) {
  Run(60, 0.015);
  changes_.clear();
  Run(100, 0.008);
  EXPECT_TRUE(changes_.empty()) << "below the budget, but not below half of it";
  Run(60, 0.004);
  EXPECT_EQ(Levels(), (std::vector{DetailLevel::kAnnotations, DetailLevel::kSampled, DetailLevel::kFull}));
  for (const record::DetailChange& change : changes_) EXPECT_EQ(change.reason, DetailReason::kSpare);
  EXPECT_GE(changes_[1].time - changes_[0].time, BudgetGovernor::kCalm);
  changes_.clear();
  Run(600, 0.001);
  EXPECT_TRUE(changes_.empty()) << "nothing is above full";
}

// Full detail costs too much, sampled detail hardly anything: without patience that grows it would change every 20 s.
TEST_F(BudgetGovernorTest, DoesNotFlapWhereEachStepUpProvesWrong) {
  constexpr int kHours = 4;
  for (int i = 0; i < kHours * 4 * 3600; ++i) {
    const bool full = changes_.empty() || changes_.back().level == DetailLevel::kFull;
    Run(0.25, full ? 0.03 : 0.002);
  }
  EXPECT_LT(changes_.size(), 2u * 32) << "after a few tries once in eleven minutes";
  ASSERT_GT(changes_.size(), 10u) << "but it goes on trying";
  const size_t last = changes_.size() - 1;
  EXPECT_GE(changes_[last].time - changes_[last - 2].time, BudgetGovernor::kMostCalm);
}

TEST_F(BudgetGovernorTest, ALoadThatComesAndGoesEveryMinuteSettles) {
  for (int i = 0; i < 60; ++i) {
    Run(30, 0.03);
    Run(30, 0.001);
  }
  EXPECT_LT(changes_.size(), 16u) << "an hour of a square wave";
  const size_t settled = changes_.size();
  for (int i = 0; i < 60; ++i) {
    Run(30, 0.03);
    Run(30, 0.001);
  }
  EXPECT_LT(changes_.size() - settled, 8u);
}

TEST_F(BudgetGovernorTest, AStepUpThatHeldMakesTheNextOneQuickAgain) {
  Run(20, 0.03);     // down
  Run(40, 0.001);    // up
  Run(20, 0.03);     // proved wrong: down, and the wait is longer
  Run(1000, 0.001);  // up, and it holds
  Run(20, 0.03);
  changes_.clear();
  Run(60, 0.001);
  EXPECT_EQ(changes_.size(), 3u);
}

// CUPTI 13.0: the flush alone costs more and more in a long session. It is part of the CPU time of our thread.
TEST_F(BudgetGovernorTest, GrowthOfTheFlushAloneIsNoticed) {
  for (int minute = 0; minute < 10; ++minute) Run(60, 0.003 + 0.001 * minute);
  ASSERT_FALSE(changes_.empty());
  EXPECT_EQ(changes_[0].level, DetailLevel::kSampled);
  EXPECT_GT(changes_[0].time, 500 * kSecond);
}

class NoBudget : public BudgetGovernorTest {
 protected:
  NoBudget() : BudgetGovernorTest(0) {}
};
TEST_F(NoBudget, NothingChanges) {
  Run(600, 0.9);
  EXPECT_TRUE(changes_.empty());
}

class SampledByTheUser : public BudgetGovernorTest {
 protected:
  SampledByTheUser()
      : BudgetGovernorTest(
            kOnePercent,
            {.time = 1, .level = DetailLevel::kSampled, .unit = record::SampleUnit::kRequests, .keep_one_in = 2}) {}
};
TEST_F(SampledByTheUser, IsTheHighestStep) {
  Run(60, 0.02);
  EXPECT_EQ(Levels(), (std::vector{DetailLevel::kSampled, DetailLevel::kAnnotations, DetailLevel::kMetrics}));
  EXPECT_EQ(changes_[0].keep_one_in, 10u);
  EXPECT_EQ(changes_[0].unit, record::SampleUnit::kRequests);
  Run(60, 0.001);
  EXPECT_EQ(changes_.back().level, DetailLevel::kSampled);
  EXPECT_EQ(changes_.back().keep_one_in, 2u);
}

class SparselySampledByTheUser : public BudgetGovernorTest {
 protected:
  SparselySampledByTheUser()
      : BudgetGovernorTest(kOnePercent, {.time = 1, .level = DetailLevel::kSampled, .keep_one_in = 100}) {}
};
TEST_F(SparselySampledByTheUser, IsNotMadeDenser) {
  Run(60, 0.02);
  EXPECT_EQ(Levels(), (std::vector{DetailLevel::kAnnotations, DetailLevel::kMetrics}));
}

class MetricsMode : public BudgetGovernorTest {
 protected:
  MetricsMode() : BudgetGovernorTest(kOnePercent, {.time = 1, .level = DetailLevel::kMetrics}) {}
};
TEST_F(MetricsMode, HasNothingToLeaveOut) {
  Run(600, 0.9);
  EXPECT_TRUE(changes_.empty());
}

}  // namespace
}  // namespace slowtoken::capture
