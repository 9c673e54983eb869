// What counts as an emission: sends or commits, one token or several, and what is left out.
#include <gmock/gmock.h>

#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::AnnotationName;

class EmissionTest : public ::testing::Test {
 protected:
  const record::RequestSummary& Play() {
    scene_.Play();
    const record::RequestSummary* found = bench_.out().Find(1);
    if (found == nullptr) abort();
    return *found;
  }
  std::vector<uint64_t> GapsUs() {
    std::vector<uint64_t> us;
    for (const record::GapSummary& gap : bench_.out().GapsOf(1)) us.push_back(gap.gap_ns / kUs);
    return us;
  }

  Bench bench_;
  Scene scene_{bench_};
};

TEST_F(EmissionTest, BugLog125_FirstGapIsNeverInItlAndTheMeanIsExact) {
  scene_.Req(1, At(0), At(2000));
  for (uint64_t n = 1; n <= 5; ++n) {
    scene_.Token(1, n, At(500 + n * n * 20));
    scene_.Send(1, n, At(505 + n * n * 20), At(510 + n * n * 20), 1);
  }
  const record::RequestSummary& request = Play();
  EXPECT_EQ(request.ttft_ns, 530 * kUs);
  EXPECT_EQ(request.gaps, 4u);
  EXPECT_THAT(GapsUs(), ::testing::ElementsAre(60, 100, 140, 180));
  EXPECT_EQ(60u + 100u + 140u + 180u, (510u + 500u) - (510u + 20u));  // mean × (n − 1) = last − first
  bench_.engine().EmitHistograms();
  for (const LoggedHistogram& h : bench_.out().histograms) {
    if (h.snapshot.metric == record::Metric::kItlStep) {
      EXPECT_EQ(h.snapshot.count, 4u);
      EXPECT_EQ(h.snapshot.sum_ns, 480 * kUs);
    }
    if (h.snapshot.metric == record::Metric::kTtft) {
      EXPECT_EQ(h.snapshot.sum_ns, 530 * kUs);
    }
  }
}

TEST_F(EmissionTest, BugLog126_FiveTokensInOneChunkAreFiveTokens) {
  scene_.Req(1, At(0), At(2000));
  scene_.Token(1, 1, At(100));
  scene_.Send(1, 1, At(105), At(110), 1);
  for (uint64_t n = 2; n <= 6; ++n) scene_.Token(1, n, At(100 * n));
  scene_.Send(1, 6, At(605), At(610), 5);
  const record::RequestSummary& request = Play();
  EXPECT_EQ(request.tokens, 6u);
  EXPECT_EQ(request.gaps, 1u);
  EXPECT_THAT(GapsUs(), ::testing::ElementsAre(500));
  EXPECT_EQ(bench_.out().gaps[0].n_new, 5u);
  bench_.engine().EmitHistograms();
  for (const LoggedHistogram& h : bench_.out().histograms) {
    if (h.snapshot.metric != record::Metric::kItlToken) continue;
    EXPECT_EQ(h.snapshot.count, 5u);  // weighted by tokens
    EXPECT_EQ(h.snapshot.max_ns, 100 * kUs);
  }
}

TEST_F(EmissionTest, BugLog126_SpeculativeTokensOfOneCommit) {
  scene_.Req(1, At(0), At(2000));
  scene_.Token(1, 1, At(100));
  scene_.Token(1, 5, At(200), {}, 4);
  const record::RequestSummary& request = Play();
  EXPECT_EQ(request.tokens, 5u);
  EXPECT_THAT(GapsUs(), ::testing::ElementsAre(100));
  EXPECT_EQ(bench_.out().gaps[0].n_new, 4u);
}

TEST_F(EmissionTest, BugLog126_EmptyKeepAliveChunkIsNoEmission) {
  scene_.Req(1, At(0), At(2000));
  scene_.Send(1, 0, At(10), At(20), 0);
  scene_.Token(1, 1, At(100));
  scene_.Send(1, 1, At(105), At(110), 1);
  scene_.Send(1, 1, At(150), At(151), 0);
  scene_.Token(1, 2, At(200));
  scene_.Send(1, 2, At(205), At(210), 1);
  EXPECT_EQ(Play().ttft_ns, 110 * kUs);
  EXPECT_THAT(GapsUs(), ::testing::ElementsAre(100));
}

TEST_F(EmissionTest, BugLog126_OneTokenAnswerHasNoGap) {
  scene_.Req(1, At(0), At(2000));
  scene_.Token(1, 1, At(100));
  scene_.Send(1, 1, At(105), At(110), 1);
  const record::RequestSummary& request = Play();
  EXPECT_TRUE(request.has_ttft);
  EXPECT_EQ(request.gaps, 0u);
  EXPECT_TRUE(bench_.out().gaps.empty());
}

TEST_F(EmissionTest, BugLog126_AbortBeforeTheFirstTokenHasNoTtft) {
  scene_.Req(1, At(0), At(2000), 77);
  scene_.FinishMark(1, At(1500), record::FinishReason::kAbort);
  const record::RequestSummary& request = Play();
  EXPECT_FALSE(request.has_ttft);
  EXPECT_EQ(request.finish, record::FinishReason::kAbort);
  EXPECT_EQ(request.tokens, 0u);
  EXPECT_EQ(request.prompt, 77u);
  EXPECT_EQ(request.end, At(2000));
}

TEST_F(EmissionTest, OneMissingSendMeansCommitsForTheWholeRequest) {
  scene_.Req(1, At(0), At(2000));
  for (uint64_t n = 1; n <= 3; ++n) {
    scene_.Token(1, n, At(100 * n));
    if (n != 3) scene_.Send(1, n, At(100 * n + 40), At(100 * n + 50), 1);
  }
  const record::RequestSummary& request = Play();
  EXPECT_EQ(request.ttft_ns, 100 * kUs);
  EXPECT_THAT(GapsUs(), ::testing::ElementsAre(100, 100));
  EXPECT_EQ(request.flags & record::kSawSends, 0);
  EXPECT_NE(request.flags & record::kSawTokens, 0);
}

TEST_F(EmissionTest, NumbersLeftOutAreCounted) {
  scene_.Req(1, At(0), At(2000));
  for (uint64_t i = 1; i <= 3; ++i) {
    scene_.Token(1, 0, At(100 * i));
    scene_.Send(1, 0, At(100 * i + 5), At(100 * i + 10));
  }
  EXPECT_EQ(Play().tokens, 3u);
  EXPECT_THAT(GapsUs(), ::testing::ElementsAre(100, 100));
  EXPECT_EQ(bench_.out().gaps[1].n, 3u);
}

TEST_F(EmissionTest, RequestAliveAtTheStartHasGapsButNoTtft) {
  for (uint64_t n = 57; n <= 59; ++n) scene_.Token(1, n, At(100 * (n - 50)));
  scene_.FinishMark(1, At(1000), record::FinishReason::kStop);
  const record::RequestSummary& request = Play();
  EXPECT_FALSE(request.has_ttft);
  EXPECT_EQ(request.gaps, 2u);
  EXPECT_EQ(request.tokens, 3u);
  EXPECT_EQ(request.flags & record::kSawArrival, 0);
}

TEST_F(EmissionTest, RequestAliveAtTheEndIsPartialAndUnfinished) {
  record::Annotation open;
  open.name = AnnotationName::kReq;
  open.kind = record::AnnotationKind::kStartEnd;
  open.start = At(0);
  open.Set(record::AnnotationField::kReqId, 1);
  scene_.Add(open);
  scene_.Token(1, 1, At(100));
  scene_.Token(1, 2, At(200));
  const record::RequestSummary& request = Play();
  EXPECT_EQ(request.ttft_ns, 100 * kUs);
  EXPECT_EQ(request.gaps, 1u);
  EXPECT_EQ(request.finish, record::FinishReason::kUnfinished);
  EXPECT_NE(request.flags & record::kPartial, 0);
  EXPECT_EQ(request.flags & record::kSawFinish, 0);
  EXPECT_EQ(request.end, At(200));
}

TEST_F(EmissionTest, SummaryIsFinalAtTheFirstAdvanceAfterItsEndAndSettleTime) {
  PlainRequest(scene_, kBase);
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  bench_.Advance(At(9000) + 500 * kMs - 1);
  EXPECT_TRUE(bench_.out().requests.empty());
  bench_.Advance(At(9000) + 500 * kMs);
  ASSERT_EQ(bench_.out().requests.size(), 1u);
  EXPECT_EQ(bench_.out().requests[0].flags & record::kPartial, 0);
  bench_.engine().Finish();
  EXPECT_EQ(bench_.out().requests.size(), 1u);
}

TEST_F(EmissionTest, SummaryIsPartialAtTheDeadline) {
  PlainRequest(scene_, kBase);
  scene_.Launch(99, At(5300), At(5310));  // in the last iteration; its kernel never comes
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  bench_.Advance(At(9000) + 500 * kMs);
  EXPECT_TRUE(bench_.out().requests.empty());
  bench_.Advance(At(9000) + 2000 * kMs);
  ASSERT_EQ(bench_.out().requests.size(), 1u);
  EXPECT_NE(bench_.out().GapsOf(1)[1].flags & record::kPartial, 0);
}

TEST_F(EmissionTest, StragglersDoNotReviveARequest) {
  PlainRequest(scene_, kBase);
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  bench_.Advance(kBase + 2 * kSecond);
  scene_.log().clear();
  scene_.Token(1, 9, At(9100));
  scene_.log()[0].DeliverTo(bench_.engine());
  bench_.engine().Finish();
  EXPECT_EQ(bench_.out().requests.size(), 1u);
}

TEST(Emission, NothingIsFinalBeforeEveryProcessHasAdvanced) {
  Bench bench(SmallConfig(2));
  Scene scene(bench);
  PlainRequest(scene, kBase);
  for (const LoggedEvent& event : scene.log()) event.DeliverTo(bench.engine());
  bench.Advance(kBase + 5 * kSecond, 0);
  EXPECT_TRUE(bench.out().requests.empty());
  bench.Advance(kBase + 3 * kSecond, 1);
  EXPECT_EQ(bench.out().requests.size(), 1u);
}

TEST(Emission, ProcessThatIsOverHoldsNothingBack) {
  Bench bench(SmallConfig(2));
  Scene scene(bench);
  PlainRequest(scene, kBase);
  for (const LoggedEvent& event : scene.log()) event.DeliverTo(bench.engine());
  bench.Advance(UINT64_MAX, 1);
  bench.Advance(kBase + 3 * kSecond, 0);
  EXPECT_EQ(bench.out().requests.size(), 1u);
}

TEST(Emission, CountsThatCannotBeAreNotBelieved) {
  Bench bench;
  Scene scene(bench);
  scene.Req(1, 100 * kSecond, 101 * kSecond, uint64_t{1} << 60);
  scene.Token(1, 1, 100 * kSecond + 10 * kMs);
  scene.Token(1, 1'000'000, 100 * kSecond + 20 * kMs, {}, 999'999);
  scene.Token(1, uint64_t{1} << 32, 100 * kSecond + 30 * kMs);
  scene.Token(1, 2, 100 * kSecond + 40 * kMs);
  scene.Play();
  const record::RequestSummary* request = bench.out().Find(1);
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->tokens, 2u);
  EXPECT_EQ(request->prompt, 0u);
  EXPECT_EQ(bench.out().GapsOf(1).size(), 1u);
  EXPECT_EQ(bench.losses().Get(base::Loss::kMalformedAnnotation), 3u);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
