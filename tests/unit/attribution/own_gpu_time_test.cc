// Steps shared by the requests of a batch against what each request would find by itself: the intervals of its own
// iterations, cut to its window and swept.
#include "attribution/own_gpu_time.h"

#include <gmock/gmock.h>

#include <random>

namespace slowtoken::attribution::testing {
namespace {

using Entries = std::vector<OwnEntry>;
using UsePiece = std::tuple<GpuUse, TimeNs, TimeNs>;

class OwnGpuTimeTest : public ::testing::Test {
 protected:
  OwnGpuTimeTest() {
    EXPECT_TRUE(arena_.Reserve(8 << 20, false));
    EXPECT_TRUE(intervals_.Init(arena_, 1024, 4096, losses_));
    EXPECT_TRUE(shared_partition_.Init(arena_, 4096, losses_) && alone_.Init(arena_, 4096, losses_));
    EXPECT_TRUE(shared_.Init(arena_, 4096, intervals_, shared_partition_));
  }
  ~OwnGpuTimeTest() override {
    EXPECT_EQ(losses_.Get(base::Loss::kIntervalsCoarsened), 0u);
    arena_.Release();
  }

  uint64_t Random(uint64_t least, uint64_t most) { return least + random_() % (most - least + 1); }

  // Work and collectives in any order, some of them at once; now and then given up.
  void Fill(Iteration& iteration, TimeNs from) {
    intervals_.Clear(iteration.work);
    intervals_.Clear(iteration.collectives);
    iteration.gpu = {};
    for (uint64_t i = Random(0, 40); i > 0; --i) {
      const TimeNs start = from + Random(0, 900), end = start + Random(0, 60);
      intervals_.Add(Random(0, 3) == 0 ? iteration.collectives : iteration.work, {start, end});
      iteration.gpu.Cover(start, end);
    }
    iteration.trimmed = iteration.has_gpu() && Random(0, 9) == 0;
    if (iteration.trimmed) intervals_.Clear(iteration.work);
    if (Random(0, 4) == 0) return;  // not sealed yet
    intervals_.Normalize(iteration.work);
    intervals_.Normalize(iteration.collectives);
  }

  // What one request finds in its window by itself.
  std::vector<UsePiece> Alone(const Entries& entries, TimeNs from, TimeNs to) {
    alone_.Begin(from, to);
    for (const auto& [iteration, kind] : entries) {
      if (iteration->trimmed) alone_.Add(0, iteration->gpu.start, iteration->gpu.end);
      intervals_.ForEach(iteration->work, [&](Interval i) { alone_.Add(0, i.start, i.end); });
      intervals_.ForEach(iteration->collectives, [&](Interval i) { alone_.Add(1, i.start, i.end); });
    }
    std::vector<UsePiece> pieces;
    alone_.Sweep([&](uint32_t active, TimeNs start, TimeNs end) {
      Append(pieces, (active & 1) != 0 ? GpuUse::kWork : active != 0 ? GpuUse::kCollective : GpuUse::kIdle, start, end);
    });
    return pieces;
  }
  std::vector<UsePiece> Shared(TimeNs from, TimeNs to) {
    std::vector<UsePiece> pieces;
    shared_.ForEach(from, to, [&](GpuUse use, TimeNs start, TimeNs end) { Append(pieces, use, start, end); });
    return pieces;
  }
  static void Append(std::vector<UsePiece>& pieces, GpuUse use, TimeNs start, TimeNs end) {
    if (!pieces.empty() && std::get<0>(pieces.back()) == use) {
      std::get<2>(pieces.back()) = end;
    } else {
      pieces.emplace_back(use, start, end);
    }
  }
  static uint64_t Sum(const std::vector<UsePiece>& pieces, GpuUse use) {
    uint64_t sum = 0;
    for (const auto& [what, start, end] : pieces) sum += what == use ? end - start : 0;
    return sum;
  }

  void ExpectEqual(const Entries& entries, TimeNs from, TimeNs to) {
    shared_.Use(entries);
    const std::vector<UsePiece> alone = Alone(entries, from, to);
    EXPECT_EQ(Shared(from, to), alone);
    const GpuTotals totals = shared_.Between(from, to);
    EXPECT_EQ(totals.work_ns, Sum(alone, GpuUse::kWork));
    EXPECT_EQ(totals.collective_ns, Sum(alone, GpuUse::kCollective));
  }

  base::Arena arena_;
  base::LossCounters losses_;
  IntervalPool intervals_;
  Partition shared_partition_, alone_;
  OwnGpuTime shared_;
  std::mt19937_64 random_{11};
};

TEST_F(OwnGpuTimeTest, SharedIsWhatEachRequestFindsAlone) {
  std::array<Iteration, 12> iterations;
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    for (size_t i = 0; i < iterations.size(); ++i) Fill(iterations[i], 1000 + i * Random(300, 1200));
    shared_.Forget();
    for (int request = 0; request < 40; ++request) {
      Entries entries;  // most requests of a batch have the same, some have more, or others between
      for (size_t i = Random(0, 9) < 7 ? 5 : Random(0, 8), count = Random(0, 4); i < 12 && count > 0; ++i, --count) {
        entries.push_back({&iterations[i], record::RowKind::kDecode});
      }
      const TimeNs from = Random(0, 14000);
      ExpectEqual(entries, from, from + Random(1, 4000));
    }
  }
}

TEST_F(OwnGpuTimeTest, MoreIterationsThanAreRememberedAreMadeEachTime) {
  std::vector<Iteration> iterations(100);
  Entries entries;
  for (size_t i = 0; i < iterations.size(); ++i) {
    intervals_.Add(iterations[i].work, {1000 + i * 10, 1005 + i * 10});
    entries.push_back({&iterations[i], record::RowKind::kDecode});
    ExpectEqual(entries, 0, 3000);
  }
  entries.erase(entries.begin(), entries.begin() + 50);
  ExpectEqual(entries, 0, 3000);
}

TEST_F(OwnGpuTimeTest, BatchesTakeTurnsHoweverManyStepsTheyHave) {
  std::array<Iteration, 3> iterations;
  for (size_t i = 0; i < iterations.size(); ++i) {
    const TimeNs pieces = i == 1 ? 50 : 500;
    for (TimeNs k = 0; k < pieces; ++k) intervals_.Add(iterations[i].work, {1000 + k * 10, 1003 + k * 10 + i});
  }
  for (const size_t i : {0, 1, 0, 1, 2, 0, 2, 1, 1, 2, 0, 0, 1}) {
    ExpectEqual({{&iterations[i], record::RowKind::kDecode}}, 1200, 5000);
  }
}

TEST_F(OwnGpuTimeTest, WhatChangedCountsOnceTheOldIsForgotten) {
  Iteration iteration;
  intervals_.Add(iteration.work, {100, 200});
  const Entries entries{{&iteration, record::RowKind::kDecode}};
  ExpectEqual(entries, 0, 1000);
  intervals_.Add(iteration.work, {300, 450});
  shared_.Forget();
  ExpectEqual(entries, 0, 1000);
  EXPECT_EQ(shared_.Between(0, 1000).work_ns, 250u);
}

// The times of a damaged trace may be any.
TEST_F(OwnGpuTimeTest, WorkWithoutEndIsWorkInEveryWindow) {
  Iteration iteration;
  intervals_.Add(iteration.work, {100, kForever});
  const Entries entries{{&iteration, record::RowKind::kDecode}};
  ExpectEqual(entries, 50, 300);
  ExpectEqual(entries, 50, kForever);
  ExpectEqual({}, 50, kForever);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
