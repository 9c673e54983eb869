// Gaps and iterations over time: bounded, nothing counted twice, nearest rank, null where there is nothing.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "report/html/batch_bins.h"
#include "report/html/gap_bins.h"
#include "report/html/time_bins.h"
#include "times.h"

namespace slowtoken::report::html {
namespace {

record::GapSummary Gap(record::TimeNs start, uint64_t gap_ns) {
  record::GapSummary gap;
  gap.start = start;
  gap.gap_ns = gap_ns;
  return gap;
}

TEST(TimeBins, EveryInstantHasOneBinAndTheLastIsNotPastTheEnd) {
  for (const uint64_t span : {uint64_t{0}, uint64_t{1}, uint64_t{599}, uint64_t{600}, 1000 * kMs + 7}) {
    const TimeBins bins = TimeBins::Of(kStart, kStart + span, 1'000'000, 600);
    EXPECT_LE(bins.count, 600u);
    EXPECT_GE(bins.count, 1u);
    EXPECT_EQ(bins.BinOf(kStart), 0u);
    EXPECT_EQ(bins.BinOf(kStart + span), bins.count - 1) << span;
    EXPECT_EQ(bins.BinOf(kStart - 1), 0u);
  }
}

TEST(GapBins, AMillionGapsAreAFewHundredBinsThatAddUp) {
  GapBins bins;
  for (uint64_t i = 0; i < 1'000'000; ++i) bins.Add(Gap(kStart + i * 10'000, 5 * kMs + i % 100));
  const Json columns = bins.ToJson(kStart);
  EXPECT_LE(columns["count"].size(), GapBins::kMostBins);
  const auto counts = columns["count"].get<std::vector<uint64_t>>();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), uint64_t{0}), 1'000'000u);
  EXPECT_EQ(columns["start_ns"], 5 * kMs);  // a gap counts where it ends
}

TEST(GapBins, QuantilesAreThoseOfTheBin) {
  GapBins bins;
  for (uint64_t i = 1; i <= 200; ++i) bins.Add(Gap(kStart - i * kMs, i * kMs));  // all end at kStart
  bins.Add(Gap(kStart + 1000 * kMs, 3 * kMs));
  const Json columns = bins.ToJson(kStart - 200 * kMs);
  EXPECT_EQ(columns["count"].front(), 200);
  EXPECT_EQ(columns["p50_ns"].front(), 100 * kMs);
  EXPECT_EQ(columns["p99_ns"].front(), 198 * kMs);
  EXPECT_EQ(columns["max_ns"].front(), 200 * kMs);
  EXPECT_EQ(columns["count"][1], 0);
  EXPECT_TRUE(columns["p50_ns"][1].is_null());
  EXPECT_EQ(columns["max_ns"].back(), 3 * kMs);
}

TEST(GapBins, NoGapsAreNoBins) {
  GapBins bins;
  EXPECT_TRUE(bins.ToJson(kStart)["count"].empty());
}

record::IterationSummary Iteration(record::TimeNs start, uint32_t decode, uint32_t prefill) {
  record::IterationSummary iteration;
  iteration.start = start;
  iteration.end = start + 4 * kMs;
  iteration.batch_known = true;
  iteration.decode_rows = decode;
  iteration.prefill_rows = prefill;
  return iteration;
}

TEST(BatchBins, MeansOfABinAndNullWhereNothingTells) {
  BatchBins bins;
  bins.Add(Iteration(kStart, 10, 0));
  bins.Add(Iteration(kStart + 1, 20, 1));
  record::IterationSummary unknown = Iteration(kStart + 2, 0, 0);
  unknown.batch_known = false;
  bins.Add(unknown);
  record::IterationSummary dummy = Iteration(kStart + 3, 99, 99);
  dummy.dummy = true;
  bins.Add(dummy);
  record::IterationSummary last = Iteration(kStart + 1000 * kMs, 4, 0);
  last.present = 7;
  last.kv_used = 1;
  last.kv_total = 4;
  last.waiting = 5;
  bins.Add(last);
  const Json columns = bins.ToJson(kStart);
  EXPECT_EQ(columns["iterations"].front(), 3);
  EXPECT_EQ(columns["batch_unknown"], 1);
  EXPECT_EQ(columns["decode"].front(), 15);
  EXPECT_EQ(columns["prefill"].front(), 0.5);
  EXPECT_TRUE(columns["kv_share"].front().is_null());
  EXPECT_EQ(columns["kv_share"].back(), 0.25);
  EXPECT_EQ(columns["waiting"].back(), 5);
  EXPECT_TRUE(columns["decode"][1].is_null());
}

}  // namespace
}  // namespace slowtoken::report::html
