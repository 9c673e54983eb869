// Interval lists: exact unions while there is room, coarser ones (and counted) when there is none.
#include "attribution/interval_pool.h"

#include <gmock/gmock.h>

#include <random>

#include "oracle.h"

namespace slowtoken::attribution::testing {
namespace {

class IntervalPoolTest : public ::testing::Test {
 protected:
  IntervalPoolTest() {
    EXPECT_TRUE(arena_.Reserve(4 << 20, false));
    EXPECT_TRUE(pool_.Init(arena_, 64, 4096, losses_));
  }
  ~IntervalPoolTest() override { arena_.Release(); }
  std::vector<std::pair<uint64_t, uint64_t>> Pieces(const IntervalList& list) {
    std::vector<std::pair<uint64_t, uint64_t>> pieces;
    pool_.ForEach(list, [&](Interval i) { pieces.emplace_back(i.start, i.end); });
    return pieces;
  }

  base::Arena arena_;
  base::LossCounters losses_;
  IntervalPool pool_;
};

TEST_F(IntervalPoolTest, PiecesThatTouchNeedNoMemory) {
  IntervalList list;
  for (uint64_t i = 1; i < 1000; ++i) pool_.Add(list, {i * 10, i * 10 + 10});
  EXPECT_EQ(list.stored, 0u);
  EXPECT_THAT(Pieces(list), ::testing::ElementsAre(std::pair(10, 10000)));
}

TEST_F(IntervalPoolTest, UnionMatchesTheOracle) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    IntervalList a, b;
    TimeRanges all, only_a;
    for (int i = 0; i < 60; ++i) {
      const uint64_t start = 1 + random() % 3000, end = start + random() % 80;
      pool_.Add(i % 3 == 0 ? b : a, {start, end});
      all.push_back({start, end});
      if (i % 3 != 0) only_a.push_back({start, end});
    }
    EXPECT_EQ(pool_.Normalize(a), UnionNs(only_a));
    pool_.Normalize(b);
    EXPECT_EQ(pool_.UnionLength(a, b), UnionNs(all));
    const auto pieces = Pieces(a);
    for (size_t i = 1; i < pieces.size(); ++i) EXPECT_GT(pieces[i].first, pieces[i - 1].second);
    pool_.Clear(a);
    pool_.Clear(b);
  }
  EXPECT_EQ(pool_.free_blocks(), 64u);
  EXPECT_EQ(losses_.Get(base::Loss::kIntervalsCoarsened), 0u);
}

TEST_F(IntervalPoolTest, FullPoolCoarsensCountsAndLosesNoTime) {
  IntervalList list;
  for (uint64_t i = 1; i <= 3000; ++i) pool_.Add(list, {i * 10, i * 10 + 5});
  EXPECT_EQ(losses_.Get(base::Loss::kIntervalsCoarsened), 3000u - 64 * 15 - 1);
  EXPECT_EQ(pool_.free_blocks(), 0u);
  EXPECT_GE(pool_.Normalize(list), 3000u * 5);
  EXPECT_EQ(Pieces(list).front().first, 10u);
  EXPECT_EQ(Pieces(list).back().second, 30005u);
}

TEST_F(IntervalPoolTest, ApartStaysApart) {
  IntervalList list;
  pool_.AddApart(list, {10, 20});
  pool_.AddApart(list, {20, 30});
  EXPECT_EQ(Pieces(list).size(), 2u);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
