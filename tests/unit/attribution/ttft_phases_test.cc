// TTFT by phase, each rule of docs/ATTRIBUTION.md on a scene small enough to check by hand. Times in µs.
#include <gmock/gmock.h>

#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::AnnotationName;
using record::RowKind;
using record::TtftPhase;

uint64_t Us(const record::RequestSummary& request, TtftPhase phase) {
  return request.ttft_phases[static_cast<size_t>(phase)] / kUs;
}

uint64_t Sum(const record::RequestSummary& request) {
  uint64_t sum = 0;
  for (const uint64_t ns : request.ttft_phases) sum += ns;
  return sum;
}

TEST(TtftPhases, PlainRequestHasEveryPhaseOfTheStraightLine) {
  Bench bench;
  Scene scene(bench);
  PlainRequest(scene, kBase);
  scene.Play();
  ASSERT_EQ(bench.out().requests.size(), 1u);
  const record::RequestSummary& request = bench.out().requests[0];
  ASSERT_TRUE(request.has_ttft);
  EXPECT_EQ(request.ttft_ns, 2800 * kUs);
  EXPECT_EQ(Us(request, TtftPhase::kHandoff), 50u + 50u);  // 0..50 and 250..300
  EXPECT_EQ(Us(request, TtftPhase::kTokenize), 200u);      // 50..250
  EXPECT_EQ(Us(request, TtftPhase::kQueue), 700u);         // 300..1000
  EXPECT_EQ(Us(request, TtftPhase::kSchedule), 100u);      // 1000..1100
  EXPECT_EQ(Us(request, TtftPhase::kSubmit), 400u);        // 1100..1500
  EXPECT_EQ(Us(request, TtftPhase::kPrefill), 500u);       // 1500..2000
  EXPECT_EQ(Us(request, TtftPhase::kSample), 500u);        // 2000..2500, iter.sample ends last
  EXPECT_EQ(Us(request, TtftPhase::kCommitWait), 100u);    // 2500..2600
  EXPECT_EQ(Us(request, TtftPhase::kTransport), 200u);     // 2600..2800
  EXPECT_EQ(Us(request, TtftPhase::kUnattributed), 0u);
  EXPECT_EQ(Sum(request), request.ttft_ns);
  EXPECT_EQ(request.prefill_gpu_ns, 500 * kUs);
  EXPECT_EQ(request.prefill_idle_ns, 0u);
  EXPECT_EQ(request.prompt, 100u);
  EXPECT_EQ(request.tokens, 3u);
  EXPECT_EQ(request.gaps, 2u);
  EXPECT_EQ(request.iterations, 3u);
  EXPECT_EQ(request.gpu_share_ns, 1500 * kUs);
  EXPECT_EQ(request.finish, record::FinishReason::kLength);
  EXPECT_EQ(request.flags, record::kSawArrival | record::kSawFinish | record::kSawTokens | record::kSawSends |
                               record::kSawIterations | record::kSawGpu);
}

// A request of one token in iteration 5 of one engine, to be varied. All in µs from kBase: arrival 0, end of send 3000.
class TtftRules : public ::testing::Test {
 protected:
  static constexpr record::TimeNs At(uint64_t us) { return kBase + us * kUs; }

  void Iteration(uint64_t iter, uint64_t from, uint64_t gpu_from, uint64_t gpu_to, uint64_t to, record::RequestId req,
                 RowKind kind) {
    const auto id = static_cast<record::CorrelationId>(iter * 10);
    scene_.Range(AnnotationName::kIter, iter, At(from), At(to));
    if (req != 0) scene_.Batch(iter, At(from + 5), true, {Row(req, 16, kind)});
    scene_.Range(AnnotationName::kIterForward, {}, At(from + 20), At(from + 60));
    scene_.Launch(id, At(from + 30), At(from + 40));
    scene_.Kernel(id, At(gpu_from), At(gpu_to));
  }
  void Answer(uint64_t iter, uint64_t commit, uint64_t sent) {
    scene_.Token(1, 1, At(commit), iter);
    scene_.Send(1, 1, At(commit + 1), At(sent), 1);
    scene_.Req(1, At(0), At(sent));
  }
  const record::RequestSummary& Play() {
    scene_.Play();
    const record::RequestSummary* found = bench_.out().Find(1);
    if (found == nullptr || !found->has_ttft) abort();
    EXPECT_EQ(Sum(*found), found->ttft_ns);
    return *found;
  }

  Bench bench_;
  Scene scene_{bench_};
};

TEST_F(TtftRules, PrefillWaitIsBetweenTheGpuIntervalsOfOwnChunks) {
  scene_.Mark(AnnotationName::kReqQueued, 1, At(10));
  Iteration(1, 100, 200, 400, 500, 1, RowKind::kChunk);
  Iteration(2, 500, 600, 900, 1000, 2, RowKind::kPrefill);  // somebody else's
  Iteration(3, 1000, 1100, 1500, 1600, 1, RowKind::kPrefill);
  Answer(3, 1550, 1650);
  const auto& request = Play();
  EXPECT_EQ(Us(request, TtftPhase::kPrefill), 200u + 400u);
  EXPECT_EQ(Us(request, TtftPhase::kPrefillWait), 700u);
  EXPECT_EQ(Us(request, TtftPhase::kCommitWait), 50u);  // no sampling was seen: from the end of the GPU work
  EXPECT_EQ(request.iterations, 2u);
}

TEST_F(TtftRules, BacklogIsOtherIterationsWorkAfterTheOwnLaunch) {
  Iteration(1, 0, 50, 900, 100, 2, RowKind::kPrefill);  // still runs when the own launch is made at 130
  Iteration(2, 100, 950, 1200, 300, 1, RowKind::kPrefill);
  Answer(2, 1300, 1400);
  const auto& request = Play();
  EXPECT_EQ(Us(request, TtftPhase::kBacklog), 900u - 130u);
  EXPECT_EQ(Us(request, TtftPhase::kSubmit), 10u + 50u);  // 120 (iter.forward) to 130, and 900 to 950
  EXPECT_EQ(Us(request, TtftPhase::kPrefill), 250u);
}

TEST_F(TtftRules, WorkOnAnotherGpuIsNoBacklog) {
  Iteration(1, 0, 50, 900, 100, 2, RowKind::kPrefill);
  std::get<record::Kernel>(scene_.log().back().event).lane = bench_.Lane(1);
  Iteration(2, 100, 950, 1200, 300, 1, RowKind::kPrefill);
  Answer(2, 1300, 1400);
  EXPECT_EQ(Us(Play(), TtftPhase::kBacklog), 0u);
}

TEST_F(TtftRules, OneGpuUnderTwoOrdinalsIsOneGpu) {
  Iteration(1, 0, 50, 900, 100, 2, RowKind::kPrefill);
  std::get<record::Kernel>(scene_.log().back().event).lane = bench_.Lane(1);
  for (uint32_t ordinal = 0; ordinal < 2; ++ordinal) {
    record::DeviceInfo info;
    info.ordinal = ordinal;
    info.uuid[3] = 77;
    scene_.log().push_back({info, {}, 1});
  }
  Iteration(2, 100, 950, 1200, 300, 1, RowKind::kPrefill);
  Answer(2, 1300, 1400);
  EXPECT_EQ(Us(Play(), TtftPhase::kBacklog), 770u);
}

TEST_F(TtftRules, WithoutIterScheduleItRunsFromTheMarkToTheForward) {
  scene_.Mark(AnnotationName::kReqQueued, 1, At(10));
  scene_.Mark(AnnotationName::kReqScheduled, 1, At(90));
  Iteration(1, 100, 200, 400, 500, 1, RowKind::kPrefill);
  Answer(1, 450, 480);
  const auto& request = Play();
  EXPECT_EQ(Us(request, TtftPhase::kQueue), 80u);
  EXPECT_EQ(Us(request, TtftPhase::kSchedule), 30u);  // 90 to 120
  EXPECT_EQ(Us(request, TtftPhase::kSubmit), 80u);    // 120 to 200
}

TEST_F(TtftRules, PreemptedComesBeforeEverything) {
  Iteration(1, 100, 200, 400, 500, 1, RowKind::kChunk);
  scene_.Mark(AnnotationName::kReqPreempted, 1, At(300));
  scene_.Mark(AnnotationName::kReqResumed, 1, At(900));
  Iteration(2, 1000, 1100, 1500, 1600, 1, RowKind::kRecompute);
  Answer(2, 1550, 1650);
  const auto& request = Play();
  EXPECT_EQ(Us(request, TtftPhase::kPreempted), 600u);
  EXPECT_EQ(Us(request, TtftPhase::kPrefill), 100u + 400u);
  EXPECT_EQ(Us(request, TtftPhase::kPrefillWait), 200u);
  EXPECT_EQ(request.preemptions, 1u);
}

TEST_F(TtftRules, KvWaitIsReceivingOrWaitingForRemoteKv) {
  scene_.Mark(AnnotationName::kReqQueued, 1, At(10));
  record::Annotation recv;
  recv.name = AnnotationName::kKvRecv;
  recv.start = At(20);
  recv.end = At(50);
  recv.Set(record::AnnotationField::kReqId, 1);
  scene_.Add(recv);
  scene_.Waiting(1, At(60), record::WaitReason::kRemoteKv);
  scene_.Waiting(1, At(70), record::WaitReason::kMaxSeqs);
  scene_.Mark(AnnotationName::kReqScheduled, 1, At(90));
  Iteration(1, 100, 200, 400, 500, 1, RowKind::kPrefill);
  Answer(1, 450, 480);
  const auto& request = Play();
  EXPECT_EQ(Us(request, TtftPhase::kKvWait), 30u + 10u);
  EXPECT_EQ(Us(request, TtftPhase::kQueue), 10u + 10u + 20u);
  EXPECT_EQ(request.queue_by[static_cast<size_t>(record::WaitReason::kMaxSeqs)], 20 * kUs);
  EXPECT_EQ(request.queue_by[static_cast<size_t>(record::WaitReason::kOther)], 20 * kUs);
}

TEST_F(TtftRules, WithoutQueuedHandoffEndsAtTokenizeAndTheQueueBeginsBehindIt) {
  scene_.Tokenize(1, At(15), At(45));
  Iteration(1, 100, 200, 400, 500, 1, RowKind::kPrefill);
  Answer(1, 450, 480);
  const auto& request = Play();
  EXPECT_EQ(Us(request, TtftPhase::kHandoff), 15u);
  EXPECT_EQ(Us(request, TtftPhase::kTokenize), 30u);
  EXPECT_EQ(Us(request, TtftPhase::kQueue), 55u);  // to the start of `iter`
}

TEST_F(TtftRules, PrefillIsSplitIntoWorkCollectiveAndIdle) {
  Iteration(1, 100, 200, 300, 500, 1, RowKind::kPrefill);
  scene_.Launch(11, At(131), At(132));
  scene_.Kernel(11, At(280), At(350), "ncclDevKernel_AllReduce_Sum_bf16");
  scene_.Launch(12, At(133), At(134));
  scene_.Kernel(12, At(370), At(400));
  Answer(1, 450, 480);
  const auto& request = Play();
  EXPECT_EQ(request.prefill_gpu_ns, 130 * kUs);
  EXPECT_EQ(request.prefill_collective_ns, 50 * kUs);
  EXPECT_EQ(request.prefill_idle_ns, 20 * kUs);
}

TEST_F(TtftRules, WithoutGpuRecordsTheRangesAreTheEvidence) {
  scene_.Range(AnnotationName::kIter, 1, At(100), At(500));
  scene_.Batch(1, At(105), true, {Row(1, 16, RowKind::kPrefill)});
  scene_.Range(AnnotationName::kIterSchedule, {}, At(102), At(110));
  scene_.Range(AnnotationName::kIterForward, {}, At(120), At(200));
  scene_.Range(AnnotationName::kIterSample, {}, At(220), At(400));
  Answer(1, 450, 480);
  const auto& request = Play();
  EXPECT_EQ(Us(request, TtftPhase::kSchedule), 8u);
  EXPECT_EQ(Us(request, TtftPhase::kSubmit), 10u);
  EXPECT_EQ(Us(request, TtftPhase::kPrefill), 100u);
  EXPECT_EQ(Us(request, TtftPhase::kSample), 180u);
  EXPECT_EQ(Us(request, TtftPhase::kCommitWait), 50u);
  EXPECT_EQ(Us(request, TtftPhase::kBacklog), 0u);
  EXPECT_EQ(request.prefill_idle_ns, 0u);
  EXPECT_EQ(request.flags & record::kSawGpu, 0);
}

TEST_F(TtftRules, WithoutTokenMarkTheCommitIsTheEndOfUpdate) {
  Iteration(1, 100, 200, 400, 500, 1, RowKind::kPrefill);
  scene_.Range(AnnotationName::kIterUpdate, {}, At(420), At(440));
  scene_.Send(1, 1, At(510), At(530), 1);
  scene_.Req(1, At(0), At(600));
  const auto& request = Play();
  EXPECT_EQ(request.ttft_ns, 530 * kUs);
  EXPECT_EQ(Us(request, TtftPhase::kTransport), 90u);
  EXPECT_EQ(Us(request, TtftPhase::kCommitWait), 40u);
}

TEST_F(TtftRules, FrontendAloneNamesWhatItSaw) {
  scene_.Tokenize(1, At(15), At(45));
  scene_.Send(1, 1, At(510), At(530), 1);
  scene_.Req(1, At(0), At(600));
  const auto& request = Play();
  EXPECT_EQ(Us(request, TtftPhase::kHandoff), 15u);
  EXPECT_EQ(Us(request, TtftPhase::kTokenize), 30u);
  EXPECT_EQ(Us(request, TtftPhase::kUnattributed), 485u);
}

TEST_F(TtftRules, LongRequestKeepsItsTtftAlthoughItsIterationsAreForgotten) {
  Iteration(1, 100, 200, 400, 500, 1, RowKind::kPrefill);
  scene_.Token(1, 1, At(450), 1);
  scene_.Send(1, 1, At(460), At(480), 1);
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  scene_.log().clear();
  for (uint64_t i = 2; i < 6000; ++i) {  // more iterations than are kept
    const uint64_t t = i * 1000;
    Iteration(i, t, t + 100, t + 500, t + 700, 0, RowKind::kDecode);
    scene_.Token(1, i, At(t + 600), i);
    scene_.Send(1, i, At(t + 610), At(t + 620), 1);
    for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
    scene_.log().clear();
    if (i % 100 == 0) bench_.Advance(At(t + 700));
  }
  scene_.Req(1, At(0), At(6'000'000));
  const auto& request = Play();
  EXPECT_EQ(request.ttft_ns, 480 * kUs);
  EXPECT_EQ(Us(request, TtftPhase::kPrefill), 200u);
  EXPECT_EQ(Us(request, TtftPhase::kQueue), 100u);
  EXPECT_EQ(request.gaps, 5998u);
  EXPECT_EQ(bench_.out().GapsOf(1).size(), 5998u);
  EXPECT_EQ(request.flags & record::kPartial, 0);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
