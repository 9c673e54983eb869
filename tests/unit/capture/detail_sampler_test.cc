// A stream of iterations with launches and kernels, delivered in any order over the rounds: what is kept is whole.
#include "capture/detail_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "../times.h"

namespace slowtoken::capture {
namespace {

using record::AnnotationField;
using record::DetailLevel;

constexpr base::TimeNs kRound = 250 * kMs;

class DetailSamplerTest : public ::testing::Test {
 protected:
  DetailSamplerTest() {
    const auto config = attribution::EngineConfig::InProcess();
    EXPECT_TRUE(arena_.Reserve(config.ArenaBytes() + (16u << 20), false));
    EXPECT_TRUE(dictionary_.Init(arena_, {}, losses_));
    EXPECT_TRUE(engine_.Init(arena_, config, dictionary_, losses_, nothing_) && batches_.Init(arena_));
    EXPECT_TRUE(sampler_.Init(arena_, engine_, batches_, losses_));
  }
  ~DetailSamplerTest() override { arena_.Release(); }

  void Apply(base::TimeNs time, DetailLevel level, uint32_t one_in = 1,
             record::SampleUnit unit = record::SampleUnit::kIterations) {
    sampler_.Apply({.time = time,
                    .level = level,
                    .reason = started_ ? record::DetailReason::kBudget : record::DetailReason::kStart,
                    .unit = unit,
                    .keep_one_in = one_in});
    started_ = true;
  }

  void Iteration(uint64_t iter, record::ThreadId thread, base::TimeNs start, base::TimeNs end) {
    record::Annotation range;
    range.name = record::AnnotationName::kIter;
    range.kind = record::AnnotationKind::kPushPop;
    range.thread = thread;
    range.start = start;
    range.end = end;
    range.Set(AnnotationField::kIterNo, iter);
    engine_.On(range);
  }
  static record::ApiCall Call(record::CorrelationId id, record::ThreadId thread, base::TimeNs start) {
    return {.start = start,
            .end = start + 1000,
            .correlation = id,
            .thread = thread,
            .api_class = record::ApiClass::kKernelLaunch};
  }
  static record::Kernel Work(record::CorrelationId id, base::TimeNs start) {
    return {.start = start, .end = start + 1000, .correlation = id};
  }

  template <typename Event>
  void Deliver(const Event& event) {
    switch (sampler_.Of(event)) {
      case DetailSampler::Verdict::kKeep:
        return Keep(event);
      case DetailSampler::Verdict::kWait:
        return sampler_.Wait(event);
      case DetailSampler::Verdict::kLeaveOut:
        return;
    }
  }
  void Settle(base::TimeNs now, bool last = false) {
    sampler_.Settle(now, last, [this](const auto& event) { Keep(event); });
  }
  void Keep(const record::ApiCall& call) { ++calls_[call.correlation]; }
  template <typename Event>
  void Keep(const Event& work) {
    ++work_[work.correlation];
  }

  class Nothing final : public record::EventVisitor {
  } nothing_;
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  attribution::Engine engine_;
  attribution::LiveBatches batches_;
  DetailSampler sampler_;
  bool started_ = false;
  std::map<record::CorrelationId, int> calls_, work_;  // how often each was kept
};

// A call, what it launched, and when their records arrive (in rounds).
struct Launch {
  record::ApiCall call;
  uint64_t iter = 0;  // 0: none
  int kernels = 1;
  size_t call_round = 0, work_round = 0;
};

class Stream : public DetailSamplerTest {
 protected:
  // Two threads, an iteration every 5 ms on each, with three launches, one of them of a graph; one launch between two.
  void Make(size_t rounds, uint32_t seed) {
    random_.seed(seed);
    record::CorrelationId id = 1;
    for (uint64_t iter = 1; iter * 5 * kMs < (rounds - 5) * kRound; ++iter) {
      for (record::ThreadId thread : {1u, 2u}) {
        const base::TimeNs start = kStart + iter * 5 * kMs;
        ranges_.push_back({2 * iter + thread, thread, start});
        for (int i = 0; i < 4; ++i) {
          Launch& launch = launches_.emplace_back();
          const bool inside = i < 3;
          launch.call = Call(id++, thread, start + (inside ? 1 + static_cast<uint64_t>(i) : 4) * kMs);
          launch.iter = inside ? 2 * iter + thread : 0;
          launch.kernels = i == 1 ? 40 : 1;
          const size_t round = (launch.call.start - kStart) / kRound;
          launch.call_round = round + Below(2);
          launch.work_round = round + Below(4);  // also before its call
        }
      }
    }
    rounds_ = rounds;
  }
  uint32_t Below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }

  void Play() {
    for (size_t round = 0; round < rounds_; ++round) {
      const base::TimeNs begin = kStart + round * kRound, end = begin + kRound;
      for (const auto& [iter, thread, start] : ranges_) {
        if (start >= begin && start < end) Iteration(iter, thread, start, start + 7 * kMs / 2);
      }
      sampler_.HeardUpTo(end);
      std::vector<std::pair<const Launch*, bool>> arriving;  // and whether it is the work
      for (const Launch& launch : launches_) {
        if (launch.call_round == round) arriving.emplace_back(&launch, false);
        if (launch.work_round == round) arriving.emplace_back(&launch, true);
      }
      std::shuffle(arriving.begin(), arriving.end(), random_);
      for (const auto& [launch, is_work] : arriving) {
        if (!is_work) Deliver(launch->call);
        for (int i = 0; is_work && i < launch->kernels; ++i) {
          Deliver(Work(launch->call.correlation, launch->call.start + 10'000));
        }
      }
      Settle(end, round + 1 == rounds_);
      for (const auto& [after, level, one_in] : changes_) {
        if (after == round) Apply(end, level, one_in);
      }
    }
  }

  // Every pair is whole or absent, and (but for those during which the level changed) every iteration.
  void ExpectWhole() {
    std::map<uint64_t, std::set<bool>> iterations;
    for (const Launch& launch : launches_) {
      const bool kept = calls_.contains(launch.call.correlation);
      EXPECT_EQ(work_[launch.call.correlation], kept ? launch.kernels : 0) << "launch " << launch.call.correlation;
      if (launch.iter != 0) iterations[launch.iter].insert(kept);
    }
    for (const auto& [id, times] : calls_) EXPECT_EQ(times, 1) << id;
    size_t cut = 0;
    for (const auto& [iter, kept] : iterations) cut += kept.size() == 2;
    EXPECT_LE(cut, 2 * changes_.size());
    if (changes_.empty()) {
      EXPECT_EQ(cut, 0u);
    }
    EXPECT_EQ(losses_.Get(base::Loss::kSampleCut), 0u);
  }
  double ShareOfIterationsKept() const {
    std::set<uint64_t> all, kept;
    for (const Launch& launch : launches_) {
      if (launch.iter == 0) continue;
      all.insert(launch.iter);
      if (calls_.contains(launch.call.correlation)) kept.insert(launch.iter);
    }
    return static_cast<double>(kept.size()) / static_cast<double>(all.size());
  }

  static constexpr base::TimeNs kStart = 1'000'000 * kMs;
  struct Range {
    uint64_t iter;
    record::ThreadId thread;
    base::TimeNs start;
  };
  struct Change {
    size_t after_round;
    DetailLevel level;
    uint32_t one_in = 1;
  };
  std::mt19937 random_;
  std::vector<Range> ranges_;
  std::vector<Launch> launches_;
  std::vector<Change> changes_;
  size_t rounds_ = 0;
};

TEST_F(Stream, FullDetailKeepsEverything) {
  Make(40, 1);
  Apply(kStart, DetailLevel::kFull);
  Play();
  EXPECT_EQ(calls_.size(), launches_.size());
  ExpectWhole();
}

TEST_F(Stream, SampledIterationsAreWholeWhateverTheOrderOfArrival) {
  Make(80, 2);
  Apply(kStart, DetailLevel::kSampled, 10);
  Play();
  ExpectWhole();
  EXPECT_NEAR(ShareOfIterationsKept(), 0.1, 0.02);
}

TEST_F(Stream, PairsStayWholeHoweverTheLevelChanges) {
  Make(160, 3);
  changes_ = {{4, DetailLevel::kSampled, 3}, {8, DetailLevel::kAnnotations},   {9, DetailLevel::kMetrics},
              {14, DetailLevel::kFull},      {75, DetailLevel::kSampled, 2},   {80, DetailLevel::kFull},
              {140, DetailLevel::kMetrics},  {142, DetailLevel::kAnnotations}, {144, DetailLevel::kFull}};
  Apply(kStart, DetailLevel::kFull);
  Play();
  ExpectWhole();
  EXPECT_GT(ShareOfIterationsKept(), 0.8);
  EXPECT_LT(ShareOfIterationsKept(), 0.99);
}

TEST_F(DetailSamplerTest, ACallBeyondWhatWasHeardWaitsForItsIteration) {
  Apply(1, DetailLevel::kSampled, 2);
  sampler_.HeardUpTo(1000);
  Deliver(Call(7, 1, 5000));
  Deliver(Work(7, 6000));
  Settle(2000);
  EXPECT_TRUE(calls_.empty() && work_.empty()) << "not told yet";
  uint64_t iter = 1;
  while (base::MixHash(iter + 1) % 2 != 0) ++iter;
  Iteration(iter, 1, 4000, 0);  // still open
  sampler_.HeardUpTo(8000);
  Settle(9000);
  EXPECT_EQ(calls_[7], 1);
  EXPECT_EQ(work_[7], 1);
}

TEST_F(DetailSamplerTest, WhatBelongsToNoIterationIsKeptByTime) {
  Apply(1, DetailLevel::kSampled, 4);
  sampler_.HeardUpTo(UINT64_MAX);
  for (record::CorrelationId id = 1; id <= 4000; ++id) Deliver(Call(id, 9, id * kMs));
  EXPECT_EQ(calls_.size(), 1000u);
  EXPECT_TRUE(calls_.contains(401) && calls_.contains(499) && !calls_.contains(501)) << "the first 100 ms of each 400";
  EXPECT_TRUE(sampler_.Keeps(9, 450 * kMs));
  EXPECT_FALSE(sampler_.Keeps(9, 550 * kMs));
}

TEST_F(DetailSamplerTest, RuntimeAndDriverCallOfOneLaunchStayTogether) {
  Apply(1, DetailLevel::kSampled, 2);
  sampler_.HeardUpTo(UINT64_MAX);
  Deliver(Call(1, 9, 199 * kMs));  // the driver's half is told first and began in another tenth of a second
  Deliver(Call(1, 9, 201 * kMs));
  EXPECT_EQ(calls_.count(1), 0u);
  Deliver(Call(2, 9, 401 * kMs));
  Deliver(Call(2, 9, 399 * kMs));
  EXPECT_EQ(calls_[2], 2);
}

TEST_F(DetailSamplerTest, WithoutRoomToWaitALaunchIsLeftOutWholeAndCounted) {
  Apply(1, DetailLevel::kSampled, 2);
  sampler_.HeardUpTo(UINT64_MAX);
  constexpr record::CorrelationId kMany = 30'000;
  for (record::CorrelationId id = 1; id <= kMany; ++id) Deliver(Work(id, 10 * kMs));
  for (record::CorrelationId id = 1; id <= kMany; ++id) Deliver(Call(id, 9, 10 * kMs));  // in a kept tenth of a second
  Settle(kRound);
  const uint64_t cut = losses_.Get(base::Loss::kSampleCut);
  EXPECT_GT(cut, 0u);
  EXPECT_EQ(calls_.size(), kMany - cut);
  for (const auto& [id, times] : calls_) EXPECT_EQ(work_[id], 1);
  EXPECT_EQ(work_.size(), calls_.size());
}

TEST_F(DetailSamplerTest, WorkWhoseCallNeverComesIsGivenUp) {
  Apply(1, DetailLevel::kSampled, 2);
  Settle(kRound);
  Deliver(Work(5, 1));
  Deliver(Work(0, 1));  // no id: nobody's
  for (base::TimeNs now = kRound; now < 20 * kRound; now += kRound) Settle(now);
  sampler_.HeardUpTo(UINT64_MAX);
  Deliver(Call(5, 9, 10 * kMs));
  EXPECT_TRUE(work_.empty());
}

class ByRequest : public DetailSamplerTest {
 protected:
  void Batch(uint64_t iter, std::vector<record::RequestId> requests) {
    record::Annotation mark;
    mark.name = record::AnnotationName::kBatch;
    mark.batch_is_set = true;
    mark.start = mark.end = iter * kMs;
    mark.Set(AnnotationField::kIterNo, iter);
    std::vector<record::BatchRow> rows;
    for (const record::RequestId req : requests) rows.push_back({.req = req, .n_tok = 1});
    mark.rows = rows;
    batches_.Add(mark);
  }
};

TEST_F(ByRequest, IterationsThatComputeForASampledRequestAreKept) {
  Apply(1, DetailLevel::kSampled, 10, record::SampleUnit::kRequests);
  sampler_.HeardUpTo(UINT64_MAX);
  Batch(1, {11, 12});
  Batch(2, {11, 20, 13});
  Batch(4, {});
  for (uint64_t iter = 1; iter <= 4; ++iter) Iteration(iter, 1, iter * kMs, iter * kMs + 900'000);
  Batch(5, {7});  // the engine runs ahead: the batch of 3 has been left by now
  for (record::CorrelationId id = 1; id <= 4; ++id) {
    Deliver(Call(id, 1, id * kMs + 1000));
    Deliver(Call(10 + id, 1, id * kMs + 2000));
  }
  EXPECT_EQ(calls_, (std::map<record::CorrelationId, int>{{2, 1}, {3, 1}, {12, 1}, {13, 1}}))
      << "request 20 falls into the sample; it is still in the batch of iteration 3";
}

TEST_F(ByRequest, WhereNoBatchIsKnownIterationsAreSampled) {
  Apply(1, DetailLevel::kSampled, 2, record::SampleUnit::kRequests);
  sampler_.HeardUpTo(UINT64_MAX);
  for (uint64_t iter = 1; iter <= 400; ++iter) {
    Iteration(iter, 1, iter * kMs, iter * kMs + 900'000);
    Deliver(Call(static_cast<record::CorrelationId>(iter), 1, iter * kMs + 1000));
  }
  EXPECT_NEAR(static_cast<double>(calls_.size()), 200, 40);
}

}  // namespace
}  // namespace slowtoken::capture
