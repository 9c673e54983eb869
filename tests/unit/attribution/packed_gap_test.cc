// Packed gaps come back as they were.
#include "attribution/packed_gap.h"

#include <gmock/gmock.h>

#include <random>

namespace slowtoken::attribution::testing {
namespace {

record::GapSummary RandomGap(std::mt19937_64& random, uint64_t n) {
  record::GapSummary gap;
  gap.n_new = 1 + random() % 4;
  gap.n = static_cast<uint32_t>(n + gap.n_new);
  gap.flags = static_cast<uint16_t>(random());
  for (uint64_t& phase : gap.phases) {
    phase = random() % 3 == 0 ? 0 : random() >> (20 + random() % 44);
    gap.gap_ns += phase;
  }
  gap.has_interference = random() % 2 == 0;
  if (gap.has_interference) {
    gap.interference_est_ns = random();
    gap.median_used_ns = random() % 100000;
  }
  gap.is_stall = random() % 2 == 0;
  if (gap.is_stall) {
    gap.largest_phase = static_cast<record::GapPhase>(random() % record::kGapPhaseCount);
    gap.excess_ns = random() >> 10;
    gap.finding = {static_cast<record::Cause>(random() % record::kCauseCount),
                   static_cast<record::EvidenceKind>(random() % record::kEvidenceCount),
                   static_cast<record::Confidence>(random() % 3),
                   static_cast<record::ThreadId>(random()),
                   random(),
                   random(),
                   random(),
                   random(),
                   random(),
                   random()};
  }
  return gap;
}

TEST(PackedGap, RoundTripOfEveryField) {
  base::Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20, false));
  ByteStore store;
  ASSERT_TRUE(store.Init(arena, 4000));
  std::mt19937_64 random(4);
  ByteChain chain;
  std::vector<record::GapSummary> gaps;
  uint64_t n = 7;
  for (int i = 0; i < 500; ++i) {
    gaps.push_back(RandomGap(random, n));
    ASSERT_TRUE(AppendGap(store, chain, gaps.back(), n));
    n = gaps.back().n;
  }
  ByteStore::Reader reader(store, chain);
  n = 7;
  for (const record::GapSummary& want : gaps) {
    ASSERT_FALSE(reader.AtEnd());
    record::GapSummary got;
    ReadGap(reader, &n, &got);
    EXPECT_EQ(got.n, want.n);
    EXPECT_EQ(got.n_new, want.n_new);
    EXPECT_EQ(got.flags, want.flags);
    EXPECT_EQ(got.gap_ns, want.gap_ns);
    EXPECT_EQ(got.phases, want.phases);
    EXPECT_EQ(got.has_interference, want.has_interference);
    EXPECT_EQ(got.interference_est_ns, want.interference_est_ns);
    EXPECT_EQ(got.median_used_ns, want.median_used_ns);
    EXPECT_EQ(got.is_stall, want.is_stall);
    EXPECT_EQ(got.largest_phase, want.largest_phase);
    EXPECT_EQ(got.excess_ns, want.excess_ns);
    EXPECT_EQ(got.finding, want.finding);
  }
  EXPECT_TRUE(reader.AtEnd());
  arena.Release();
}

TEST(PackedGap, WhatDoesNotFitIsNotHalfWritten) {
  base::Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20, false));
  ByteStore store;
  ASSERT_TRUE(store.Init(arena, 3));
  std::mt19937_64 random(5);
  ByteChain chain;
  int stored = 0;
  const record::GapSummary gap = RandomGap(random, 0);
  while (AppendGap(store, chain, gap, 0)) ++stored;
  ByteStore::Reader reader(store, chain);
  uint64_t n = 0;
  for (int i = 0; i < stored; ++i) {
    record::GapSummary got;
    n = 0;
    ReadGap(reader, &n, &got);
    EXPECT_EQ(got.phases, gap.phases);
  }
  EXPECT_TRUE(reader.AtEnd());
  store.Clear(chain);
  EXPECT_TRUE(AppendGap(store, chain, gap, 0));
  arena.Release();
}

}  // namespace
}  // namespace slowtoken::attribution::testing
