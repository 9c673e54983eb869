// Whatever comes, memory stays what it was at the start, nothing crashes, and what did not fit is counted.
#include <gmock/gmock.h>

#include <random>

#include "scene.h"
#include "workload.h"

namespace slowtoken::attribution::testing {
namespace {

using record::AnnotationName;

EngineConfig Tiny() {
  EngineConfig config;
  config.limits = {.requests = 8,
                   .request_events = 16,
                   .tokens = 16,
                   .own_iterations = 16,
                   .result_blocks = 4,
                   .iterations = 8,
                   .interval_blocks = 4,
                   .interval_scratch = 64,
                   .batch_groups = 2,
                   .batch_spans = 8,
                   .batch_marks = 4,
                   .batch_rows = 16,
                   .threads = 2,
                   .ranges = 16,
                   .launches = 16,
                   .gpu_records = 16,
                   .gpu_pieces = 8,
                   .host_work = 8,
                   .shapes = 4};
  return config;
}

uint64_t Phases(const record::GapSummary& gap) {
  uint64_t sum = 0;
  for (const uint64_t ns : gap.phases) sum += ns;
  return sum;
}

TEST(Bounds, ArenaBytesIsWhatInitTakes) {
  for (const EngineConfig& config : {EngineConfig::InProcess(), Tiny()}) {
    base::Arena arena;
    ASSERT_TRUE(arena.Reserve(config.ArenaBytes(), false));
    record::Dictionary dictionary;
    base::LossCounters losses;
    SummaryLog out;
    auto engine = std::make_unique<Engine>();
    EXPECT_TRUE(engine->Init(arena, config, dictionary, losses, out));
    EXPECT_GE(static_cast<double>(arena.used()), 0.7 * static_cast<double>(config.ArenaBytes()));
    arena.Release();
  }
  EXPECT_LT(EngineConfig::InProcess().ArenaBytes(), 20u << 20);
}

// A short-context server: 1000 iterations a second with eight ranges inside each, concluded every 250 ms, launches and
// kernels told a round after their ranges. What is kept of the ranges fits for ever.
TEST(Bounds, AThousandIterationsASecondWithEightRangesEachLoseNothing) {
  Bench bench(EngineConfig::InProcess());
  const record::ShapeId gemm = bench.Shape("gemm");
  const record::LaneId lane = bench.Lane(0);
  constexpr uint32_t kRounds = 40, kPerRound = 250;
  const auto range = [&](AnnotationName name, std::optional<uint64_t> iter, record::TimeNs start, record::TimeNs end) {
    record::Annotation annotation;
    annotation.name = name;
    annotation.kind = record::AnnotationKind::kPushPop;
    annotation.start = start;
    annotation.end = end;
    annotation.thread = annotation.end_thread = 1;
    if (iter) annotation.Set(record::AnnotationField::kIterNo, *iter);
    bench.engine().On(annotation);
  };
  for (uint32_t round = 0; round < kRounds + 12; ++round) {
    for (uint32_t i = 0; round < kRounds && i < kPerRound; ++i) {
      const uint64_t iter = uint64_t{round} * kPerRound + i + 1;
      const record::TimeNs at = kBase + iter * kMs;
      for (uint64_t part = 0; part < 8; ++part)
        range(AnnotationName::kIterForward, std::nullopt, at + part * 100 * kUs, at + (part + 1) * 100 * kUs - 1);
      range(AnnotationName::kIter, iter, at, at + 900 * kUs);
    }
    for (uint32_t i = 0; round > 0 && round <= kRounds && i < kPerRound; ++i) {
      const uint32_t iter = (round - 1) * kPerRound + i + 1;
      const record::TimeNs at = kBase + iter * kMs;
      record::ApiCall call;
      call.api_class = record::ApiClass::kKernelLaunch;
      call.start = at + 250 * kUs;
      call.end = at + 255 * kUs;
      call.correlation = iter;
      call.thread = 1;
      bench.engine().On(call);
      record::Kernel kernel;
      kernel.start = at + 260 * kUs;
      kernel.end = at + 800 * kUs;
      kernel.correlation = iter;
      kernel.shape = gemm;
      kernel.lane = lane;
      bench.engine().On(kernel);
    }
    bench.Advance(kBase + uint64_t{round} * 250 * kMs);  // all of a round before has come
  }
  bench.engine().Finish();
  EXPECT_EQ(bench.losses().Get(base::Loss::kRangeTableFull), 0u);
  uint64_t kernels = 0;
  for (const LoggedIteration& iteration : bench.out().iterations) kernels += iteration.summary.kernels;
  EXPECT_EQ(bench.out().iterations.size(), kRounds * kPerRound);
  EXPECT_EQ(kernels, kRounds * kPerRound) << "each kernel found the iteration it was launched in";
}

// A process that was silent for a minute, or one beside it that had not begun yet.
TEST(Bounds, AWatermarkThatJumpsLosesNoKernel) {
  Bench bench;
  Scene scene(bench);
  scene.Range(AnnotationName::kIter, 1, kBase, kBase + 10 * kMs);
  scene.Launch(7, kBase + kMs, kBase + 2 * kMs);
  scene.Kernel(7, kBase + 3 * kMs, kBase + 9 * kMs);
  bench.Advance(kBase);
  for (const LoggedEvent& event : scene.log()) event.DeliverTo(bench.engine());
  bench.Advance(kBase + 60 * kSecond);
  bench.Advance(kBase + 90 * kSecond);
  bench.engine().Finish();
  EXPECT_EQ(bench.losses().Get(base::Loss::kPendingGpuEvicted), 0u);
  EXPECT_EQ(bench.losses().Get(base::Loss::kGpuWithoutCall), 0u);
  ASSERT_EQ(bench.out().iterations.size(), 1u);
  EXPECT_EQ(bench.out().iterations[0].summary.kernels, 1u);
}

// A call that copies a batch has a record for each copy, and an idle process's rounds lie a second apart.
TEST(Bounds, ACallThatHasItsRecordWaitsForAnotherThatHasCome) {
  Bench bench;
  Scene scene(bench);
  scene.Range(AnnotationName::kIter, 1, kBase, kBase + kMs);
  scene.Launch(7, kBase, kBase + 10 * kUs, {}, record::ApiClass::kMemcpy);
  scene.Kernel(7, kBase + kMs, kBase + 700 * kMs);
  scene.Kernel(7, kBase + 700 * kMs, kBase + 800 * kMs);
  for (const LoggedEvent& event : scene.log()) event.DeliverTo(bench.engine());
  for (const uint64_t ms : {1000, 2000, 3000, 4000}) bench.Advance(kBase + ms * kMs);
  bench.engine().Finish();
  EXPECT_EQ(bench.losses().Get(base::Loss::kGpuWithoutCall), 0u);
}

TEST(Bounds, ARecordWithoutACallIsNotOneThatWasGivenUp) {
  Bench bench;
  Scene scene(bench);
  scene.Range(AnnotationName::kIter, 1, kBase, kBase + 10 * kMs);
  scene.Launch(7, kBase + kMs, kBase + 2 * kMs);
  scene.Kernel(7, kBase + 3 * kMs, kBase + 4 * kMs);
  scene.Kernel(8, kBase + 4 * kMs, kBase + 5 * kMs);  // nobody recorded its call
  scene.Kernel(8, kBase + 5 * kMs, kBase + 6 * kMs);
  scene.Play();
  EXPECT_EQ(bench.out().iterations[0].summary.kernels, 1u);
  EXPECT_EQ(bench.losses().Get(base::Loss::kGpuWithoutCall), 2u);
  EXPECT_EQ(bench.losses().Get(base::Loss::kPendingGpuEvicted), 0u);
}

TEST(Bounds, ArenaTooSmallIsRefused) {
  base::Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20, false));
  record::Dictionary dictionary;
  base::LossCounters losses;
  SummaryLog out;
  auto engine = std::make_unique<Engine>();
  EXPECT_FALSE(engine->Init(arena, EngineConfig::InProcess(), dictionary, losses, out));
  arena.Release();
}

TEST(Bounds, AMillionRequestsThatNeverFinish) {
  Bench bench;
  record::Annotation a;
  a.thread = 1;
  for (uint64_t i = 1; i <= 1'000'000; ++i) {
    const record::TimeNs t = kBase + i * 10 * kUs;
    a.present = 0;
    a.start = a.end = t;
    a.name = i % 3 == 0 ? AnnotationName::kReqQueued : AnnotationName::kReqToken;
    a.Set(record::AnnotationField::kReqId, i);
    bench.engine().On(a);
    if (i % 20000 == 0) bench.Advance(t);
  }
  bench.engine().Finish();
  const uint64_t kept = bench.out().requests.size();
  EXPECT_EQ(kept, SmallConfig().limits.requests);
  EXPECT_EQ(bench.losses().Get(base::Loss::kRequestsEvicted), 1'000'000u - kept);
}

TEST(Bounds, EveryTableFullAtOnce) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Bench bench(Tiny());
    const WorkloadOptions workload{.seed = seed,
                                   .requests = 60,
                                   .overlap = seed % 2 == 0,
                                   .graphs = GraphUse::kNodes,
                                   .kernels = 30,
                                   .nested_calls = true,
                                   .collectives = true,
                                   .second_stream = true,
                                   .deltas = seed % 3 != 0,
                                   .preempt = 0.1,
                                   .wait_reasons = 0.8,
                                   .host_work = 0.8};
    Deliver(MakeWorkload(workload, bench), {.seed = seed, .lateness = 100 * kMs, .shuffle = true}, bench);
    uint64_t lost = 0;
    for (size_t i = 0; i < base::kLossCount; ++i) lost += bench.losses().Get(static_cast<base::Loss>(i));
    EXPECT_GT(lost, 0u);
    for (const record::GapSummary& gap : bench.out().gaps) EXPECT_EQ(Phases(gap), gap.gap_ns);
    for (const record::RequestSummary& request : bench.out().requests) {
      uint64_t sum = 0;
      for (const uint64_t ns : request.ttft_phases) sum += ns;
      EXPECT_EQ(sum, request.ttft_ns);
    }
  }
}

TEST(Bounds, GapsGoOutEarlyWhenTheyCannotBeKept) {
  EngineConfig config;
  config.limits.result_blocks = 4;
  Bench bench(config);
  Scene scene(bench);
  scene.Req(1, kBase, kBase + 20 * kSecond);
  for (uint64_t n = 1; n <= 200; ++n) {
    scene.Token(1, n, kBase + n * 10 * kMs);
    scene.Send(1, n, kBase + n * 10 * kMs + 5, kBase + n * 10 * kMs + kMs, 1);
  }
  scene.Play();
  const std::vector<record::GapSummary> gaps = bench.out().GapsOf(1);
  ASSERT_EQ(gaps.size(), 199u);
  EXPECT_EQ(bench.out().Find(1)->gaps, 199u);
  for (size_t i = 0; i < gaps.size(); ++i) {
    EXPECT_EQ(gaps[i].n, i + 2);
    EXPECT_EQ(gaps[i].gap_ns, 10 * kMs);
    EXPECT_EQ(gaps[i].start, kBase + (i + 1) * 10 * kMs + kMs);
    EXPECT_NE(gaps[i].flags & record::kSawSends, 0);
  }
}

TEST(Bounds, FinishWithoutAnythingAndTwice) {
  Bench bench;
  bench.engine().Finish();
  bench.engine().Finish();
  bench.engine().EmitHistograms();
  EXPECT_TRUE(bench.out().requests.empty());
  EXPECT_TRUE(bench.out().histograms.empty());
}

TEST(Bounds, RandomNonsenseIsHarmless) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20; ++round) {
    Bench bench(round % 2 == 0 ? Tiny() : SmallConfig());
    for (int i = 0; i < 3000; ++i) {
      const auto time = [&] { return random() % 5 == 0 ? random() : kBase + random() % (5 * kSecond); };
      record::Annotation a;
      a.name = static_cast<AnnotationName>(random() % 29);
      a.kind = static_cast<record::AnnotationKind>(random() % 3);
      a.start = time();
      a.end = random() % 4 == 0 ? a.start : time();
      a.thread = static_cast<uint32_t>(random() % 3);
      for (size_t f = 0; f < record::kAnnotationFieldCount; ++f) {
        if (random() % 2 == 0) a.Set(static_cast<record::AnnotationField>(f), random() % 7);
      }
      std::vector<record::BatchRow> rows;
      for (uint64_t k = random() % 5; k > 0; --k) {
        rows.push_back(Row(random() % 6, static_cast<uint32_t>(random() % 9),
                           static_cast<record::RowKind>(random() % 5), static_cast<record::RowOp>(random() % 4)));
      }
      a.batch_is_set = random() % 2 == 0;
      a.rows = rows;
      bench.engine().On(a);
      record::ApiCall call;
      call.start = time();
      call.end = time();
      call.correlation = static_cast<uint32_t>(random() % 9);
      call.thread = static_cast<uint32_t>(random() % 3);
      call.api_class = static_cast<record::ApiClass>(random() % 9);
      bench.engine().On(call);
      record::Kernel kernel;
      kernel.start = time();
      kernel.end = time();
      kernel.correlation = static_cast<uint32_t>(random() % 9);
      kernel.shape = static_cast<record::ShapeId>(random() % 9);
      kernel.lane = static_cast<record::LaneId>(random() % 9000);
      bench.engine().On(kernel);
      if (random() % 50 == 0) bench.Advance(time());
    }
    bench.engine().Finish();
    for (const record::GapSummary& gap : bench.out().gaps) EXPECT_EQ(Phases(gap), gap.gap_ns);
  }
}

TEST(Bounds, AStormOfAllocationsLosesNoLaunch) {
  Bench bench;
  Scene scene(bench);
  const auto at = [](uint64_t us) { return kBase + us * kUs; };
  scene.Range(AnnotationName::kIter, 1, at(0), at(100));
  uint32_t correlation = 0;
  for (int i = 0; i < 20; ++i) {
    const uint32_t launch = ++correlation;
    scene.Launch(launch, at(10) + i * kUs, at(10) + (i + 1) * kUs);
    for (int j = 0; j < 3000; ++j) scene.Launch(++correlation, at(11), at(12), {}, record::ApiClass::kMemory);
    scene.Kernel(launch, at(50 + i), at(51 + i));
  }
  scene.Play();
  const LoggedIteration* iteration = bench.out().FindIteration(1);
  ASSERT_NE(iteration, nullptr);
  EXPECT_EQ(iteration->summary.kernels, 20u);
  EXPECT_EQ(bench.losses().Get(base::Loss::kPendingLaunchEvicted), 0u);
  EXPECT_EQ(bench.losses().Get(base::Loss::kGpuWithoutCall), 0u);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
