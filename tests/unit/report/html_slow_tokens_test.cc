// Which slow tokens a page lists and which moments it shows: bounded, the worst first, one window for one pause.
#include <gtest/gtest.h>

#include "../times.h"
#include "report/html/slow_tokens.h"
#include "report/stall_moments.h"

namespace slowtoken::report::html {
namespace {

void AddStall(v1::Report& report, uint64_t req, uint64_t start_ns, uint64_t gap_ns) {
  v1::Stall& stall = *report.add_stalls();
  stall.set_req(req);
  stall.set_n(3);
  stall.set_start_ns(start_ns);
  stall.set_gap_ns(gap_ns);
  stall.set_excess_ns(gap_ns / 2);
}

SlowTokens Find(v1::Report& report) {
  FillStallMoments(report);
  return FindSlowTokens(report);
}

void AddSlowFirst(v1::Report& report, uint64_t req, uint64_t arrival_ns, uint64_t ttft_ns) {
  v1::RequestReport& request = *report.add_requests();
  request.set_req(req);
  request.set_arrival_ns(arrival_ns);
  request.set_ttft_ns(ttft_ns);
  request.set_slow_excess_ns(ttft_ns / 2);
}

TEST(SlowTokens, APauseThatHoldsUpABatchIsOneWindow) {
  v1::Report report;
  for (uint64_t req = 1; req <= 30; ++req) AddStall(report, req, 1000 * kMs + req * 1000, 40 * kMs);
  const SlowTokens slow = Find(report);
  ASSERT_EQ(slow.windows.size(), 1u);
  EXPECT_EQ(slow.windows[0].reqs.size(), 30u);
  for (const SlowToken& token : slow.tokens) EXPECT_EQ(token.window, 0u);
  EXPECT_LT(slow.windows[0].start_ns, 1000 * kMs);
  EXPECT_GT(slow.windows[0].end_ns, 1040 * kMs);
}

TEST(SlowTokens, AStallInsideALongWaitHasAWindowOfItsOwn) {
  v1::Report report;
  AddSlowFirst(report, 1, 1000 * kMs, 5000 * kMs);
  AddStall(report, 2, 3000 * kMs, 10 * kMs);
  EXPECT_EQ(Find(report).windows.size(), 2u);
}

TEST(SlowTokens, ListAndWindowsAreBoundedAndGoToTheWorstOfBothKinds) {
  v1::Report report;
  for (uint64_t i = 0; i < 3000; ++i) AddStall(report, i, i * 1000 * kMs, (10 + i % 500) * kMs);
  for (uint64_t i = 0; i < 100; ++i) AddSlowFirst(report, i, i * 10'000 * kMs, (100 + i) * kMs);
  const SlowTokens slow = Find(report);
  EXPECT_EQ(slow.stalls, 3000u);
  EXPECT_EQ(slow.first_tokens, 100u);
  EXPECT_EQ(slow.tokens.size(), kMostListed + 100);
  EXPECT_EQ(slow.windows.size(), kMostTimelines);
  size_t shown_stalls = 0, shown_first = 0;
  for (const SlowToken& token : slow.tokens) {
    if (!token.window) continue;
    ASSERT_LT(*token.window, slow.windows.size());
    EXPECT_LE(slow.windows[*token.window].start_ns, token.start_ns());
    EXPECT_GE(slow.windows[*token.window].end_ns, token.start_ns() + token.took_ns());
    ++(token.stall != nullptr ? shown_stalls : shown_first);
  }
  EXPECT_GE(shown_stalls, kMostTimelines / 2);
  EXPECT_GE(shown_first, kMostTimelines / 2 - 1);
}

TEST(SlowTokens, StallsOfOneMomentHaveTheWorstOfThemAsTheirHead) {
  v1::Report report;
  AddStall(report, 1, 1000 * kMs, 60 * kMs);
  AddStall(report, 2, 1001 * kMs, 64 * kMs);
  AddStall(report, 3, 5000 * kMs, 90 * kMs);
  AddSlowFirst(report, 4, 900 * kMs, 300 * kMs);
  const SlowTokens slow = Find(report);
  ASSERT_EQ(slow.tokens.size(), 4u);
  std::vector<size_t> heads;
  for (const SlowToken& token : slow.tokens) heads.push_back(token.head);
  EXPECT_EQ(heads, (std::vector<size_t>{0, 2, 2, 3}));
  EXPECT_EQ(slow.worst_stall, 2u);  // the two lost more together
  EXPECT_EQ(slow.tokens[2].lost_ns, 62 * kMs);
  EXPECT_EQ(slow.tokens[1].lost_ns, 30 * kMs);
  EXPECT_EQ(slow.worst_first, 0u);
}

TEST(SlowTokens, EachMomentIsListedBeforeTheOtherStallsOfAny) {
  v1::Report report;
  for (uint64_t moment = 0; moment < 100; ++moment) {
    for (uint64_t req = 1; req <= 40; ++req) AddStall(report, req, (1 + moment) * 1000 * kMs, (100 - moment) * kMs);
  }
  size_t heads = 0;
  for (const SlowToken& token : Find(report).tokens) heads += token.is_head ? 1 : 0;
  EXPECT_EQ(heads, 100u);
}

TEST(SlowTokens, StallsThatFewSamplesJudgedAreNotTheWorst) {
  v1::Report report;
  AddStall(report, 1, 1000 * kMs, 900 * kMs);
  report.mutable_stalls(0)->set_few_samples(true);
  AddStall(report, 2, 5000 * kMs, 60 * kMs);
  EXPECT_EQ(Find(report).worst_stall, 1u);
}

TEST(SlowTokens, NothingSlowIsNothing) {
  v1::Report report;
  report.add_requests()->set_req(1);
  const SlowTokens slow = Find(report);
  EXPECT_FALSE(slow.worst_stall || slow.worst_first);
  EXPECT_TRUE(slow.tokens.empty());
  EXPECT_TRUE(slow.windows.empty());
}

}  // namespace
}  // namespace slowtoken::report::html
