// Who came late to a collective: told by imports, or by time; and what is not told.
#include "analysis/collectives.h"

#include <gtest/gtest.h>

#include "../times.h"
#include "joined_run.h"

namespace slowtoken::analysis {
namespace {

constexpr TimeNs kStart = 10'000'000'000;
constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

class CollectivesTest : public ::testing::Test {
 protected:
  void Kernel(record::ProcessIndex process, TimeNs start, TimeNs end, const char* name = kAllReduce,
              uint32_t device = 0) {
    run_.On(testing::KernelAt(++correlation_, start, end, dictionary_.Shape(name), dictionary_.Lane(7, process, device),
                              process));
  }
  // As an import tells it: the kernel, and what was said of it. `ahead`: how far the clock of its host is ahead.
  void Said(record::ProcessIndex process, int64_t number, TimeNs start, TimeNs end, TimeNs ahead = 0,
            const char* operation = "allreduce", uint64_t ranks = 2) {
    Kernel(process, start + ahead, end + ahead);
    const record::PayloadField fields[] = {
        {dictionary_->InternText("device"), record::PayloadType::kUint, 0},
        {dictionary_->InternText("group"), record::PayloadType::kText, dictionary_->InternText("tp:0")},
        {dictionary_->InternText("group_size"), record::PayloadType::kInt, ranks},
        {dictionary_->InternText("seq"), record::PayloadType::kInt, static_cast<uint64_t>(number)}};
    run_.On(record::NvtxDomainInfo{
        .domain = 5, .name = dictionary_->InternText(record::kCollectiveDomain), .process = process});
    record::NvtxRange range;
    range.start = start + ahead;
    range.end = end + ahead;
    range.range_id = ++correlation_;
    range.message = dictionary_->InternText(operation);
    range.domain = 5;
    range.process = process;
    range.fields = fields;
    run_.On(range);
  }
  void Advance(TimeNs at) {
    for (record::ProcessIndex process = 0; process < 3; ++process)
      run_.On(record::Advance{.watermark = at, .process = process});
  }
  const Collectives& Finish() {
    run_.Finish();
    return run_.analysis().collectives();
  }
  static const Collectives::Rank& RankOf(const Collectives& all, record::ProcessIndex process, uint32_t device = 0) {
    return all.ranks().at({process, device});
  }

  testing::TestDictionary dictionary_;
  testing::JoinedRun run_{*dictionary_, 3};
  record::CorrelationId correlation_ = 0;
};

TEST_F(CollectivesTest, TheRankWhoseKernelStartsLastIsLateAndTheOtherWaits) {
  for (uint64_t i = 0; i < 10; ++i) {
    const TimeNs at = kStart + i * 10 * kMs;
    const bool zero_is_late = i == 3;
    Kernel(0, zero_is_late ? at + kMs : at, at + 2 * kMs);
    Kernel(1, zero_is_late ? at : at + kMs, at + 2 * kMs + 5 * kUs);
    Advance(at);
  }
  const Collectives& all = Finish();
  EXPECT_EQ(all.matched(), 10u);
  EXPECT_EQ(all.by_time(), 10u);
  EXPECT_EQ(all.alone(), 0u);
  EXPECT_EQ(RankOf(all, 0).collectives, 10u);
  EXPECT_EQ(RankOf(all, 0).late, 1u);
  EXPECT_EQ(RankOf(all, 1).late, 9u);
  EXPECT_EQ(RankOf(all, 1).kept_waiting_ns, 9 * (kMs - 5 * kUs));
  EXPECT_EQ(RankOf(all, 0).waited_ns, 9 * (kMs - 5 * kUs));
  EXPECT_EQ(RankOf(all, 1).waited_ns, kMs + 5 * kUs);
  EXPECT_EQ(all.longest_wait().count(), 10u);
}

TEST_F(CollectivesTest, ThoseThatComeTogetherMakeNobodyLate) {
  Kernel(0, kStart, kStart + 500 * kUs);
  Kernel(1, kStart + 8 * kUs, kStart + 501 * kUs);
  const Collectives& all = Finish();
  EXPECT_EQ(all.matched(), 1u);
  EXPECT_EQ(RankOf(all, 0).late + RankOf(all, 1).late, 0u);
}

// An all-reduce a layer, each of 8 us, 2 us apart.
TEST_F(CollectivesTest, ShortOnesOneAfterAnotherAreNotMixedUp) {
  for (uint64_t i = 0; i < 1000; ++i) {
    const TimeNs at = kStart + i * 10 * kUs;
    Kernel(0, at, at + 8 * kUs);
    Kernel(1, at + 1 * kUs, at + 8 * kUs + 500);
  }
  const Collectives& all = Finish();
  EXPECT_EQ(all.matched(), 1000u);
  EXPECT_EQ(all.alone(), 0u);
}

TEST_F(CollectivesTest, WhatIsSaidNeedsNoCommonClock) {
  constexpr TimeNs kHours = 3'600'000'000'000;
  for (int64_t i = 0; i < 4; ++i) {
    const TimeNs at = kStart + static_cast<TimeNs>(i) * 10 * kMs;
    Said(0, i, at, at + 3 * kMs);
    Said(1, i, at + 2 * kMs, at + 3 * kMs, kHours);
  }
  const Collectives& all = Finish();
  EXPECT_EQ(all.matched(), 4u);
  EXPECT_EQ(all.by_time(), 0u) << "the kernels are told once";
  EXPECT_EQ(all.alone(), 0u);
  EXPECT_EQ(all.partial(), 0u);
  EXPECT_EQ(RankOf(all, 1).late, 4u);
  EXPECT_EQ(RankOf(all, 0).waited_ns, 4 * 2 * kMs);
}

TEST_F(CollectivesTest, ACommunicatorOfMoreRanksThanAreThereIsPartial) {
  Said(0, 7, kStart, kStart + kMs, 0, "allreduce", 8);
  Said(1, 7, kStart, kStart + kMs, 0, "allreduce", 8);
  EXPECT_EQ(Finish().partial(), 1u);
}

TEST_F(CollectivesTest, ClocksOfTwoHostsTellNothingWhereNobodyNamesThem) {
  Kernel(0, kStart, kStart + kMs);
  Kernel(1, kStart + 500 * kMs, kStart + 501 * kMs);
  const Collectives& all = Finish();
  EXPECT_EQ(all.matched(), 0u);
  EXPECT_EQ(all.alone(), 2u);
}

TEST_F(CollectivesTest, ABroadcastMakesNobodyWaitForAll) {
  const char* broadcast = "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  Kernel(0, kStart, kStart + kMs, broadcast);
  Kernel(1, kStart, kStart + kMs, broadcast);
  Said(0, 1, kStart + 10 * kMs, kStart + 11 * kMs, 0, "send");
  Said(1, 1, kStart + 10 * kMs, kStart + 11 * kMs, 0, "recv");
  const Collectives& all = Finish();
  EXPECT_EQ(all.matched(), 0u);
  EXPECT_EQ(all.alone(), 0u);
  EXPECT_EQ(all.one_sided(), 4u);
}

TEST_F(CollectivesTest, TwoGpusOfOneProcessAreTwoRanks) {
  Kernel(0, kStart, kStart + kMs, kAllReduce, 0);
  Kernel(0, kStart + 400 * kUs, kStart + kMs, kAllReduce, 1);
  const Collectives& all = Finish();
  EXPECT_EQ(all.matched(), 1u);
  EXPECT_EQ(RankOf(all, 0, 1).late, 1u);
  EXPECT_EQ(RankOf(all, 0, 0).waited_ns, 400 * kUs);
}

}  // namespace
}  // namespace slowtoken::analysis
