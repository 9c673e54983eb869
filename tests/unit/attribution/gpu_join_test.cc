// From kernel to iteration: by correlation id and launching thread, never by time.
#include <gmock/gmock.h>

#include <random>

#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::AnnotationName;
using record::ApiClass;

class GpuJoinTest : public ::testing::Test {
 protected:
  const record::IterationSummary& Iteration(uint64_t iter) {
    const LoggedIteration* found = bench_.out().FindIteration(iter);
    if (found == nullptr) {
      ADD_FAILURE() << "no iteration " << iter;
      static const record::IterationSummary kNone;
      return kNone;
    }
    return found->summary;
  }

  Bench bench_;
  Scene scene_{bench_};
};

TEST_F(GpuJoinTest, KernelBelongsToTheRangeOpenAtItsLaunch) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Range(AnnotationName::kIter, 2, At(110), At(200));
  scene_.Launch(7, At(50), At(55));
  scene_.Kernel(7, At(120), At(190));  // it runs while the CPU is in iteration 2
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 1u);
  EXPECT_EQ(Iteration(1).gpu_start, At(120));
  EXPECT_EQ(Iteration(1).gpu_end, At(190));
  EXPECT_EQ(Iteration(2).kernels, 0u);
  EXPECT_EQ(Iteration(2).gpu_start, 0u);
}

TEST_F(GpuJoinTest, BugLog33_HundredsOfKernelsOnOneIdInThreeBuffersOutOfOrder) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(7, At(50), At(55), {}, ApiClass::kGraphLaunch);
  for (uint64_t i = 0; i < 421; ++i) scene_.Kernel(7, At(100 + 2 * i), At(101 + 2 * i));
  std::mt19937 random(5);
  EventLog log = scene_.log();
  std::shuffle(log.begin(), log.end(), random);
  for (size_t i = 0; i < log.size(); ++i) {
    log[i].DeliverTo(bench_.engine());
    if (i % 150 == 149) bench_.Advance(kBase + i * kMs);
  }
  bench_.engine().Finish();
  EXPECT_EQ(Iteration(1).kernels, 421u);
  EXPECT_EQ(Iteration(1).gpu_busy_ns, 421 * kUs);
  EXPECT_EQ(Iteration(1).graph_launches, 1u);
  EXPECT_TRUE(Iteration(1).graph);
}

TEST_F(GpuJoinTest, BugLog32_EveryGraphNodeAppearsAlthoughOnlyTheLaunchIsACall) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(1, At(1), At(2));
  scene_.Kernel(1, At(3), At(4));
  scene_.Launch(2, At(50), At(55), {}, ApiClass::kGraphLaunch);
  for (uint64_t i = 0; i < 424; ++i) scene_.Kernel(2, At(100 + i), At(101 + i));
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 425u);
}

TEST_F(GpuJoinTest, BugLog36_AMillionReplaysNeedNoMoreMemoryAndLoseNothing) {
  record::GraphLaunch replay;
  replay.lane = bench_.Lane(0);
  for (uint32_t i = 1; i <= 1'000'000; ++i) {
    const record::TimeNs t = kBase + i * 100 * kUs;
    record::ApiCall call;
    call.start = t;
    call.end = t + 5 * kUs;
    call.correlation = i;
    call.thread = 1;
    call.api_class = ApiClass::kGraphLaunch;
    bench_.engine().On(call);
    replay.start = t + 10 * kUs;
    replay.end = t + 90 * kUs;
    replay.correlation = i;
    bench_.engine().On(replay);
    if (i % 1000 == 0) bench_.Advance(t);
  }
  bench_.engine().Finish();
  EXPECT_EQ(bench_.losses().Get(base::Loss::kPendingGpuEvicted), 0u);
  EXPECT_EQ(bench_.losses().Get(base::Loss::kPendingLaunchEvicted), 0u);
  EXPECT_TRUE(bench_.out().iterations.empty());  // nobody's: no range was ever there
}

TEST_F(GpuJoinTest, GraphAtLaunchLevelIsOneIntervalOfWork) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(2, At(50), At(55), {}, ApiClass::kGraphLaunch);
  scene_.Graph(2, At(60), At(160));
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 0u);
  EXPECT_EQ(Iteration(1).graph_launches, 1u);
  EXPECT_EQ(Iteration(1).gpu_busy_ns, 100 * kUs);
}

TEST_F(GpuJoinTest, RuntimeCallAndItsDriverCallAreOneLaunch) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(2, At(51), At(54), {}, ApiClass::kGraphLaunch);  // the driver half may come first
  scene_.Launch(2, At(50), At(55), {}, ApiClass::kGraphLaunch);
  scene_.Graph(2, At(60), At(160));
  scene_.Play();
  EXPECT_EQ(Iteration(1).graph_launches, 1u);
  bench_.engine().EmitHistograms();
  for (const LoggedHistogram& h : bench_.out().histograms) {
    if (h.snapshot.metric != record::Metric::kLaunchApi) continue;
    EXPECT_EQ(h.snapshot.count, 1u);
    EXPECT_EQ(h.snapshot.sum_ns, 5 * kUs);  // of the outer call
  }
}

TEST_F(GpuJoinTest, CapturedAndFailedCallsStartNothing) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(2, At(50), At(55));
  std::get<record::ApiCall>(scene_.log().back().event).captured = true;
  scene_.Launch(3, At(60), At(65), {}, ApiClass::kGraphLaunch);
  std::get<record::ApiCall>(scene_.log().back().event).return_value = 700;
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 0u);
  EXPECT_FALSE(Iteration(1).graph);
}

TEST_F(GpuJoinTest, BugLog39_CallOfUnknownKindCanLaunch) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(2, At(50), At(55), {}, ApiClass::kOther);
  scene_.Kernel(2, At(60), At(70));
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 1u);
}

TEST_F(GpuJoinTest, BugLog82_RecordsWithoutTimeAreCountedNotSummed) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  for (uint32_t id = 1; id <= 10; ++id) {
    scene_.Launch(id, At(id), At(id) + 100);
    const bool timed = id % 5 != 0;
    scene_.Kernel(id, timed ? At(100 + 10 * id) : 0, timed ? At(105 + 10 * id) : 0);
  }
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 10u);
  EXPECT_EQ(Iteration(1).gpu_busy_ns, 8 * 5 * kUs);
  EXPECT_EQ(Iteration(1).gpu_start, At(110));
}

TEST_F(GpuJoinTest, BugLog83_NoTimeValueBreaksAnything) {
  const uint64_t values[] = {0, 1, (uint64_t{1} << 63) - 1, uint64_t{1} << 63, UINT64_MAX};
  uint32_t id = 100;
  for (const uint64_t start : values) {
    for (const uint64_t end : values) {
      scene_.Range(AnnotationName::kIter, ++id, start, end);
      scene_.Range(AnnotationName::kIterSample, {}, start, end);
      scene_.Launch(id, start, end);
      scene_.Kernel(id, start, end);
      scene_.Req(id, start, end);
      scene_.Token(id, 1, start, id);
      scene_.Send(id, 1, start, end, 1);
      scene_.Batch(id, start, true, {Row(id, 1, record::RowKind::kPrefill)});
    }
  }
  PlainRequest(scene_, kBase);
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  bench_.Advance(At(10'000'000));
  bench_.engine().Finish();
  for (const record::RequestSummary& request : bench_.out().requests) {
    uint64_t sum = 0;
    for (const uint64_t ns : request.ttft_phases) sum += ns;
    EXPECT_EQ(sum, request.ttft_ns);
  }
  ASSERT_NE(bench_.out().Find(1), nullptr);
  EXPECT_EQ(bench_.out().Find(1)->ttft_ns, 2800 * kUs);
}

TEST_F(GpuJoinTest, BugLog85_EndBeforeStartIsNoTime) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(1, At(10), At(11));
  scene_.Kernel(1, At(60), At(60) - 1);
  scene_.Launch(2, At(20), At(21));
  scene_.Kernel(2, At(60), At(60) - kSecond);
  scene_.Launch(3, At(30), At(31));
  scene_.Kernel(3, At(60), At(70));
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 3u);
  EXPECT_EQ(Iteration(1).gpu_busy_ns, 10 * kUs);
}

TEST_F(GpuJoinTest, BugLog86_KernelLongBeforeItsLaunchHasAnotherClock) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(1, At(10), At(11));
  scene_.Kernel(1, At(60) - 20 * kSecond, At(70) - 20 * kSecond);
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 1u);
  EXPECT_EQ(Iteration(1).gpu_start, 0u);
  EXPECT_EQ(bench_.losses().Get(base::Loss::kBadTimestamp), 1u);
}

TEST_F(GpuJoinTest, TimesInTheFutureAreNotBelieved) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(1, At(10), At(11));
  scene_.Kernel(1, At(60), At(60) + 900 * kSecond);
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  bench_.Advance(kBase + kSecond);
  bench_.Advance(kBase + 2 * kSecond);
  ASSERT_EQ(bench_.out().iterations.size(), 1u);  // and nothing waits for it
  EXPECT_EQ(Iteration(1).kernels, 1u);
  EXPECT_EQ(bench_.losses().Get(base::Loss::kBadTimestamp), 1u);
}

TEST_F(GpuJoinTest, BugLog88_KernelSlightlyBeforeItsLaunchKeepsItsLink) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(1, At(50), At(55));
  scene_.Kernel(1, At(43), At(45));  // 5 µs too early, and over before the call began
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 1u);
  EXPECT_EQ(Iteration(1).gpu_start, At(43));
}

TEST_F(GpuJoinTest, BugLog89_SkewBetweenClocksMovesNoKernelToANeighbour) {
  for (uint32_t i = 0; i < 20; ++i) {
    scene_.Range(AnnotationName::kIter, i, At(30 * i), At(30 * i + 29));
    scene_.Launch(i + 1, At(30 * i + 10), At(30 * i + 12));
    scene_.Kernel(i + 1, At(30 * i + 20 + 20), At(30 * i + 25 + 20));  // 20 µs late: in the next range by time
  }
  scene_.Play();
  for (uint32_t i = 0; i < 20; ++i) EXPECT_EQ(Iteration(i).gpu_start, At(30 * i + 40)) << i;
}

TEST_F(GpuJoinTest, BugLog95_IdsThatStartOverWithAnOldLaunchStillOpen) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Range(AnnotationName::kIter, 2, At(200), At(300));
  scene_.Launch(7, At(50), At(55), {}, ApiClass::kGraphLaunch);
  scene_.Launch(7, At(250), At(255), {}, ApiClass::kGraphLaunch);
  scene_.Kernel(7, At(260), At(270));
  scene_.Kernel(7, At(60), At(70));
  scene_.Kernel(7, At(80), At(249));  // over before the second launch began
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 2u);
  EXPECT_EQ(Iteration(2).kernels, 1u);
}

TEST_F(GpuJoinTest, BugLog95_IdsAroundTheWrapOf32Bits) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  uint32_t id = UINT32_MAX - 2;
  for (uint64_t i = 0; i < 6; ++i, ++id) {
    scene_.Launch(id, At(i), At(i) + 500);
    scene_.Kernel(id, At(10 + i), At(11 + i));
  }
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 5u);  // one of them was id 0
}

TEST_F(GpuJoinTest, BugLog100_IdZeroIsNeverJoined) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(0, At(50), At(55));
  scene_.Kernel(0, At(60), At(70));
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 0u);
  EXPECT_EQ(bench_.losses().Get(base::Loss::kGpuWithoutCall), 1u);
  EXPECT_EQ(bench_.losses().Get(base::Loss::kPendingGpuEvicted), 0u);
}

TEST_F(GpuJoinTest, BugLog115_BusyIsTheUnionNotTheSum) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  for (uint32_t id = 1; id <= 50; ++id) {
    scene_.Launch(id, At(id), At(id) + 500);
    scene_.Kernel(id, At(100), At(200));
  }
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 50u);
  EXPECT_EQ(Iteration(1).gpu_busy_ns, 100 * kUs);
}

TEST(GpuJoin, BugLog120_IdsOfTwoProcessesNeverMeet) {
  Bench bench(SmallConfig(2));
  Scene scene(bench);
  scene.Range(AnnotationName::kIter, 1, At(0), At(100), {.process = 0});
  scene.Range(AnnotationName::kIter, 2, At(0), At(100), {.process = 1});
  for (uint16_t p = 0; p < 2; ++p) scene.Launch(7, At(50), At(55), {.process = p});
  scene.Kernel(7, At(60), At(70), "gemm", 0);
  scene.Kernel(7, At(80), At(95), "gemm", 1);
  scene.Play();
  EXPECT_EQ(bench.out().FindIteration(1)->summary.gpu_busy_ns, 10 * kUs);
  EXPECT_EQ(bench.out().FindIteration(2)->summary.gpu_busy_ns, 15 * kUs);
}

TEST(GpuJoin, RanksOfOneIterationAreJoinedByItsKey) {
  Bench bench(SmallConfig(2));
  Scene scene(bench);
  for (uint16_t p = 0; p < 2; ++p) {
    scene.Range(AnnotationName::kIter, 1, At(p), At(100 + p), {.process = p});
    scene.Range(AnnotationName::kIter, 1, At(0), At(50), {.process = p, .thread = 9, .dp_rank = 1});
    scene.Launch(7, At(50), At(55), {.process = p});
    scene.Kernel(7, At(60 + 5 * p), At(70 + 5 * p), "gemm", p);
  }
  scene.Play();
  ASSERT_EQ(bench.out().iterations.size(), 2u);  // dp_rank 1 is another iteration
  const record::IterationSummary& joined = bench.out().iterations[1].summary;
  EXPECT_EQ(joined.key.dp_rank, 0u);
  EXPECT_EQ(joined.kernels, 2u);
  EXPECT_EQ(joined.start, At(0));
  EXPECT_EQ(joined.end, At(101));
  EXPECT_EQ(joined.gpu_busy_ns, 15 * kUs);
}

TEST_F(GpuJoinTest, InnermostRangeCountsWhereIterationsOverlapOnTheCpu) {
  scene_.Range(AnnotationName::kIter, 2, At(0), At(100));
  scene_.Range(AnnotationName::kIterForward, {}, At(10), At(40));
  scene_.Range(AnnotationName::kIterSample, 1, At(50), At(90));  // sampling of the iteration before
  scene_.Launch(1, At(20), At(21));
  scene_.Launch(2, At(60), At(61));
  scene_.Launch(3, At(95), At(96));
  for (uint32_t id = 1; id <= 3; ++id) scene_.Kernel(id, At(100 + 10 * id), At(105 + 10 * id));
  scene_.Play();
  EXPECT_EQ(Iteration(2).kernels, 2u);
  EXPECT_EQ(Iteration(1).kernels, 1u);
  EXPECT_EQ(Iteration(1).gpu_start, 0u);  // launched inside iter.sample: sampling, not GPU work
  EXPECT_EQ(Iteration(1).sample_end, At(125));
}

TEST_F(GpuJoinTest, ThreadsAreApart) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100), {.thread = 1});
  scene_.Range(AnnotationName::kIter, 2, At(0), At(100), {.thread = 2});
  scene_.Launch(5, At(50), At(55), {.thread = 2});
  scene_.Kernel(5, At(60), At(70));
  scene_.Launch(6, At(50), At(55), {.thread = 3});
  scene_.Kernel(6, At(60), At(70));
  scene_.Play();
  EXPECT_EQ(Iteration(1).kernels, 0u);
  EXPECT_EQ(Iteration(2).kernels, 1u);
}

TEST_F(GpuJoinTest, ReadbackIsWhatIsCopiedAfterSampling) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(1, At(10), At(11));
  scene_.Kernel(1, At(20), At(50));
  scene_.Launch(2, At(12), At(13), {}, ApiClass::kMemcpy);
  scene_.Copy(2, At(40), At(200));  // began before sampling was over: no readback
  scene_.Launch(3, At(14), At(15));
  scene_.Kernel(3, At(50), At(60), "sample_kernel");
  scene_.Launch(4, At(16), At(17), {}, ApiClass::kMemcpy);
  scene_.Copy(4, At(61), At(64));
  scene_.Launch(5, At(18), At(19), {}, ApiClass::kMemcpy);
  scene_.Copy(5, At(70), At(90), record::CopyKind::kHtoD);
  scene_.Play();
  EXPECT_EQ(Iteration(1).gpu_end, At(50));
  EXPECT_EQ(Iteration(1).sample_end, At(64));
  EXPECT_EQ(Iteration(1).gpu_busy_ns, 30 * kUs);  // copies are not GPU work
}

TEST_F(GpuJoinTest, FirstIterationOfAThreadMayBeLong) {
  scene_.Launch(1, At(10), At(11));  // the range around it ends seconds later
  scene_.Kernel(1, At(20), At(50));
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  for (uint64_t s = 1; s <= 4; ++s) bench_.Advance(kBase + s * kSecond);
  scene_.log().clear();
  scene_.Range(AnnotationName::kIter, 1, At(0), At(4'500'000));
  scene_.log()[0].DeliverTo(bench_.engine());
  bench_.Advance(kBase + 6 * kSecond);
  ASSERT_EQ(bench_.out().iterations.size(), 1u);
  EXPECT_EQ(Iteration(1).kernels, 1u);
  EXPECT_EQ(Iteration(1).gpu_end, At(50));
}

TEST_F(GpuJoinTest, IterationWaitsForTheRecordsOfItsLaunches) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(1, At(10), At(11));
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  bench_.Advance(kBase + kSecond);
  EXPECT_TRUE(bench_.out().iterations.empty());
  scene_.log().clear();
  scene_.Kernel(1, At(20), At(900'000));
  scene_.log()[0].DeliverTo(bench_.engine());
  bench_.Advance(kBase + 1500 * kMs);
  ASSERT_EQ(bench_.out().iterations.size(), 1u);
  EXPECT_EQ(Iteration(1).gpu_end, At(900'000));
}

TEST_F(GpuJoinTest, IterationIsGivenUpAtTheDeadline) {
  scene_.Range(AnnotationName::kIter, 1, At(0), At(100));
  scene_.Launch(1, At(10), At(11));
  for (const LoggedEvent& event : scene_.log()) event.DeliverTo(bench_.engine());
  bench_.Advance(kBase + 1900 * kMs);
  EXPECT_TRUE(bench_.out().iterations.empty());
  bench_.Advance(kBase + 2100 * kMs);
  ASSERT_EQ(bench_.out().iterations.size(), 1u);
  EXPECT_EQ(Iteration(1).kernels, 0u);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
