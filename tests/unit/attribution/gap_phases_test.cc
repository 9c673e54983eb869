// Gaps by phase, each rule of docs/ATTRIBUTION.md on a scene small enough to check by hand. Times in µs.
#include <gmock/gmock.h>

#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::AnnotationName;
using record::GapPhase;
using record::RowKind;

uint64_t Us(const record::GapSummary& gap, GapPhase phase) { return gap.phases[static_cast<size_t>(phase)] / kUs; }

// Request 1 gets token 1 at 600 from iteration 1 and token 2 from iteration 3; what is in between varies.
class GapRules : public ::testing::Test {
 protected:
  GapRules() {
    Iteration(1, 0, 200, 400, 500, {Row(1, 16, RowKind::kPrefill)});
    scene_.Range(AnnotationName::kIterSample, {}, At(100), At(450));
    scene_.Token(1, 1, At(500), 1);
    scene_.Send(1, 1, At(510), At(600), 1);
  }
  void Iteration(uint64_t iter, uint64_t from, uint64_t gpu_from, uint64_t gpu_to, uint64_t to,
                 std::vector<record::BatchRow> rows, uint64_t flags = 0) {
    const auto id = static_cast<record::CorrelationId>(iter * 10);
    scene_.Range(AnnotationName::kIter, iter, At(from), At(to), {}, flags);
    scene_.Range(AnnotationName::kIterSchedule, {}, At(from + 2), At(from + 20));
    scene_.Batch(iter, At(from + 5), true, std::move(rows));
    scene_.Range(AnnotationName::kIterForward, {}, At(from + 25), At(from + 60));
    scene_.Launch(id, At(from + 30), At(from + 40));
    if (gpu_to != 0) scene_.Kernel(id, At(gpu_from), At(gpu_to));
  }
  // Iteration 3: schedule 1002..1020, launch 1030, GPU 1100..1500, sample to 1550; commit 1600, sent 1700.
  void OwnIteration() {
    Iteration(3, 1000, 1100, 1500, 1620, {Row(1, 1, RowKind::kDecode)});
    scene_.Range(AnnotationName::kIterSample, {}, At(1070), At(1550));
  }
  record::GapSummary Play() {
    scene_.Token(1, 2, At(1600), 3);
    scene_.Send(1, 2, At(1610), At(1700), 1);
    scene_.Req(1, At(0), At(1800));
    scene_.Play();
    const std::vector<record::GapSummary> gaps = bench_.out().GapsOf(1);
    if (gaps.size() != 1) abort();
    uint64_t sum = 0;
    for (const uint64_t ns : gaps[0].phases) sum += ns;
    EXPECT_EQ(sum, gaps[0].gap_ns);
    EXPECT_EQ(gaps[0].gap_ns, 1100 * kUs);
    EXPECT_EQ(gaps[0].start, At(600));
    EXPECT_EQ(gaps[0].n, 2u);
    return gaps[0];
  }

  Bench bench_;
  Scene scene_{bench_};
};

TEST_F(GapRules, StraightLine) {
  OwnIteration();
  const record::GapSummary gap = Play();
  EXPECT_EQ(Us(gap, GapPhase::kSchedule), 420u);  // 600 to 1020
  EXPECT_EQ(Us(gap, GapPhase::kSubmit), 80u);     // 1020 to 1100
  EXPECT_EQ(Us(gap, GapPhase::kGpuBusy), 400u);
  EXPECT_EQ(Us(gap, GapPhase::kSample), 50u);
  EXPECT_EQ(Us(gap, GapPhase::kCommitWait), 50u);
  EXPECT_EQ(Us(gap, GapPhase::kTransport), 100u);
  EXPECT_FALSE(gap.has_interference);
}

TEST_F(GapRules, PrefillOfOthersInBetweenIsInterference) {
  Iteration(2, 650, 700, 950, 990, {Row(2, 99, RowKind::kPrefill)});
  OwnIteration();
  const record::GapSummary gap = Play();
  EXPECT_EQ(Us(gap, GapPhase::kPrefillInterference), 250u);
  EXPECT_EQ(Us(gap, GapPhase::kSchedule), 170u);
}

TEST_F(GapRules, DecodeOfOthersInBetweenIsNot) {
  Iteration(2, 650, 700, 950, 990, {Row(2, 1, RowKind::kDecode)});
  OwnIteration();
  const record::GapSummary gap = Play();
  EXPECT_EQ(Us(gap, GapPhase::kPrefillInterference), 0u);
  EXPECT_EQ(Us(gap, GapPhase::kBacklog), 0u);  // it was over before the own launch
  EXPECT_EQ(Us(gap, GapPhase::kSchedule), 420u);
}

TEST_F(GapRules, OtherWorkAfterTheOwnLaunchIsBacklog) {
  Iteration(2, 650, 700, 1090, 990, {Row(2, 1, RowKind::kDecode)});
  OwnIteration();
  EXPECT_EQ(Us(Play(), GapPhase::kBacklog), 60u);  // 1030 to 1090
}

TEST_F(GapRules, DummyIterationIsNobodysButOccupiesTheGpu) {
  Iteration(2, 650, 700, 1090, 990, {Row(1, 99, RowKind::kPrefill)}, record::kFlagDummy);
  OwnIteration();
  const record::GapSummary gap = Play();
  EXPECT_EQ(Us(gap, GapPhase::kBacklog), 60u);
  EXPECT_EQ(Us(gap, GapPhase::kPrefillInterference), 0u);
  EXPECT_TRUE(bench_.out().FindIteration(2)->summary.dummy);
  EXPECT_TRUE(bench_.out().FindIteration(2)->rows.empty());
  EXPECT_EQ(bench_.out().Find(1)->iterations, 2u);
}

TEST_F(GapRules, CollectiveAloneIdleAndBusy) {
  Iteration(3, 1000, 1100, 1200, 1620, {Row(1, 1, RowKind::kDecode)});
  scene_.Launch(31, At(1041), At(1042));
  scene_.Kernel(31, At(1150), At(1300), "ncclDevKernel_AllReduce_Sum_bf16");
  scene_.Launch(32, At(1043), At(1044));
  scene_.Kernel(32, At(1350), At(1500));
  scene_.Range(AnnotationName::kIterSample, {}, At(1070), At(1550));
  const record::GapSummary gap = Play();
  EXPECT_EQ(Us(gap, GapPhase::kGpuBusy), 100u + 150u);
  EXPECT_EQ(Us(gap, GapPhase::kCollective), 100u);
  EXPECT_EQ(Us(gap, GapPhase::kGpuIdle), 50u);
}

TEST_F(GapRules, HostWorkOnTheEnginesThreadOnly) {
  const auto work = [&](AnnotationName name, uint64_t from, uint64_t to, record::ThreadId thread) {
    record::Annotation a;
    a.name = name;
    a.start = At(from);
    a.end = At(to);
    a.thread = thread;
    scene_.Add(a);
  };
  work(AnnotationName::kGc, 610, 700, 1);
  work(AnnotationName::kJit, 650, 800, 1);
  work(AnnotationName::kKvAlloc, 750, 760, 1);
  work(AnnotationName::kGc, 800, 900, 55);  // another thread
  OwnIteration();
  const record::GapSummary gap = Play();
  EXPECT_EQ(Us(gap, GapPhase::kKv), 10u);
  EXPECT_EQ(Us(gap, GapPhase::kJit), 140u);
  EXPECT_EQ(Us(gap, GapPhase::kGc), 40u);
}

TEST_F(GapRules, PreemptedComesFirst) {
  scene_.Mark(AnnotationName::kReqPreempted, 1, At(610));
  scene_.Mark(AnnotationName::kReqResumed, 1, At(1050));
  OwnIteration();
  const record::GapSummary gap = Play();
  EXPECT_EQ(Us(gap, GapPhase::kPreempted), 440u);
  EXPECT_EQ(Us(gap, GapPhase::kSubmit), 50u);
}

TEST_F(GapRules, WithoutGpuRecords) {
  Iteration(3, 1000, 0, 0, 1620, {Row(1, 1, RowKind::kDecode)});
  scene_.Range(AnnotationName::kIterSample, {}, At(1070), At(1550));
  const record::GapSummary gap = Play();
  EXPECT_EQ(Us(gap, GapPhase::kSchedule), 420u);
  EXPECT_EQ(Us(gap, GapPhase::kSubmit), 5u);    // 1020 to iter.forward at 1025
  EXPECT_EQ(Us(gap, GapPhase::kGpuBusy), 45u);  // to iter.sample at 1070
  EXPECT_EQ(Us(gap, GapPhase::kSample), 480u);
  EXPECT_EQ(gap.flags & record::kSawGpu, 0);
}

TEST_F(GapRules, MixedOwnIterationGetsAnEstimateBesideThePartition) {
  for (uint64_t i = 10; i < 20; ++i) {  // what a decode-only iteration of one row costs: 100 µs
    Iteration(i, 100000 + i * 1000, 100000 + i * 1000 + 100, 100000 + i * 1000 + 200, 100000 + i * 1000 + 300,
              {Row(9, 1, RowKind::kDecode)});
  }
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  scene_.log().clear();
  bench_.Advance(kBase + 10 * kSecond);
  const record::TimeNs later = 20'000'000;
  const auto iteration = [&](uint64_t iter, uint64_t from, uint64_t gpu_ns, std::vector<record::BatchRow> rows) {
    Iteration(iter, later + from, later + from + 100, later + from + 100 + gpu_ns, later + from + 900, std::move(rows));
    scene_.Token(2, iter - 29, At(later + from + 850), iter);
  };
  iteration(30, 0, 100, {Row(2, 16, RowKind::kPrefill)});
  iteration(31, 1000, 700, {Row(2, 1, RowKind::kDecode), Row(3, 500, RowKind::kChunk)});
  scene_.Play();
  const std::vector<record::GapSummary> gaps = bench_.out().GapsOf(2);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_TRUE(gaps[0].has_interference);
  EXPECT_NEAR(static_cast<double>(gaps[0].median_used_ns), 100e3, 1e3);
  EXPECT_NEAR(static_cast<double>(gaps[0].interference_est_ns), 600e3, 1e3);
  EXPECT_EQ(Us(gaps[0], GapPhase::kGpuBusy), 700u);  // the partition itself is not changed
}

}  // namespace
}  // namespace slowtoken::attribution::testing
