// Two runs of the same thing show no change; a planted one is found and blamed on its phase.
#include "analysis/run_comparison.h"

#include <gmock/gmock.h>

#include <random>

#include "analysis/block_bootstrap.h"
#include "resampled_run.h"

namespace slowtoken::analysis {
namespace {

using record::GapPhase;
using record::TtftPhase;

// A server with bursts: the queue is long for some tens of requests in a row; prompts are log-normal; prefill takes its
// time per token, a decode step about 6 ms.
RunSample MakeRun(uint64_t seed, size_t requests) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  RunSample run;
  run.name = "run";
  double burst = 0;
  for (size_t i = 0; i < requests; ++i) {
    burst = 0.9 * burst + 0.44 * normal(random);
    RequestSample r;
    r.prompt = std::min(8000.0, std::exp(6.5 + 1.0 * normal(random)));
    r.tokens = 20;
    r.has_phases = true;
    auto& phase = r.ttft_phases;
    phase[static_cast<size_t>(TtftPhase::kQueue)] = 2e7 * std::exp(burst);
    phase[static_cast<size_t>(TtftPhase::kPrefill)] = r.prompt * 2e4 * (1 + 0.05 * normal(random)) + 2e6;
    phase[static_cast<size_t>(TtftPhase::kTransport)] = 5e5 * std::exp(0.3 * normal(random));
    double ttft = 0;
    for (const double ns : phase) ttft += ns;
    r.ttft_ns = ttft;
    for (int k = 0; k < 6; ++k) {
      const double gpu = 5.5e6 * (1 + 0.1 * normal(random)), sample = 4e5 * std::exp(0.5 * normal(random));
      r.gap_phases[static_cast<size_t>(GapPhase::kGpuBusy)] += gpu;
      r.gap_phases[static_cast<size_t>(GapPhase::kSample)] += sample;
      r.gaps_ns.push_back(gpu + sample);
    }
    run.requests.push_back(std::move(r));
  }
  return run;
}

bool AnyChange(const std::vector<FigureChange>& figures) {
  return std::any_of(figures.begin(), figures.end(), [](const FigureChange& f) { return f.changed; });
}

TEST(RunComparison, TwoRunsOfTheSameAreSeldomCalledChanged) {
  const RunSample run = MakeRun(7, 1000);
  int false_alarms = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    const auto figures =
        CompareRuns(Resample(run, 1000 + i, 25), Resample(run, 5000 + i, 25), {.seed = i, .quantile_draws = 150});
    ASSERT_FALSE(figures.empty());
    if (AnyChange(figures)) ++false_alarms;
  }
  EXPECT_LE(false_alarms, 10) << "5 % of 200";
}

TEST(RunComparison, APhaseFivePercentSlowerIsFoundAndBlamed) {
  int found = 0;
  for (uint64_t i = 0; i < 40; ++i) {
    RunSample slower = MakeRun(2000 + i, 1000);
    for (RequestSample& r : slower.requests) {
      double& prefill = r.ttft_phases[static_cast<size_t>(TtftPhase::kPrefill)];
      *r.ttft_ns += prefill * 0.05;
      prefill *= 1.05;
    }
    const auto figures = CompareRuns(MakeRun(100 + i, 1000), slower, {.seed = i, .quantile_draws = 150});
    const FigureChange* chief = ChiefPhase(figures, FigureGroup::kTtftPhase);
    if (chief != nullptr && chief->name == "prefill" && chief->worse()) ++found;
  }
  EXPECT_GE(found, 36) << "90 % of 40";
}

TEST(RunComparison, ADecodeStepFivePercentSlowerIsFoundAndBlamed) {
  RunSample slower = MakeRun(3, 1000);
  for (RequestSample& r : slower.requests) {
    const double more = r.gap_phases[static_cast<size_t>(GapPhase::kGpuBusy)] * 0.05;
    r.gap_phases[static_cast<size_t>(GapPhase::kGpuBusy)] += more;
    for (double& gap : r.gaps_ns) gap += more / static_cast<double>(r.gaps_ns.size());
  }
  const auto figures = CompareRuns(MakeRun(3, 1000), slower);
  const FigureChange* chief = ChiefPhase(figures, FigureGroup::kItlPhase);
  ASSERT_NE(chief, nullptr);
  EXPECT_EQ(chief->name, "gpu_busy");
  EXPECT_TRUE(chief->worse());
  EXPECT_NEAR(chief->difference, 2.75e5, 0.5e5);
  EXPECT_LT(chief->low, 2.75e5);
  EXPECT_GT(chief->high, 2.75e5);
  EXPECT_EQ(ChiefPhase(figures, FigureGroup::kTtftPhase), nullptr);
}

TEST(RunComparison, AnotherMixOfPromptsIsNoSlowerServer) {
  RunSample longer = MakeRun(5, 1000);
  std::erase_if(longer.requests, [](const RequestSample& r) { return r.prompt < 500; });
  const auto figures = CompareRuns(MakeRun(6, 1000), longer);
  for (const FigureChange& f : figures) {
    if (f.name == "prefill") {
      EXPECT_FALSE(f.changed) << f.difference;
    } else if (f.name == "prompt tokens") {
      EXPECT_TRUE(f.changed);
    }
  }
}

TEST(RunComparison, FasterBecauseItAnswersLessIsSeenInTheOutcome) {
  RunSample less = MakeRun(8, 400);
  for (size_t i = 0; i < less.requests.size(); ++i) {
    less.requests[i].tokens = 10;
    if (i % 5 == 0) less.requests[i].failed = true;
  }
  bool tokens = false, failed = false;
  for (const FigureChange& f : CompareRuns(MakeRun(9, 400), less)) {
    tokens |= f.name == "output tokens" && f.changed && !f.worse();
    failed |= f.name == "failed share" && f.worse();
  }
  EXPECT_TRUE(tokens);
  EXPECT_TRUE(failed);
}

TEST(RunComparison, TooLittleToCompareSaysNothing) {
  EXPECT_TRUE(CompareRuns({}, {}).empty());
  EXPECT_TRUE(CompareRuns(MakeRun(1, 1), MakeRun(2, 50)).empty());
  EXPECT_FALSE(CompareRuns(MakeRun(1, 2), MakeRun(2, 2)).empty());
}

TEST(RunComparison, IdenticalRunsDifferInNothing) {
  const RunSample run = MakeRun(1, 100);
  for (const FigureChange& f : CompareRuns(run, run)) {
    EXPECT_EQ(f.difference, 0) << f.name;
    EXPECT_FALSE(f.changed) << f.name;
  }
}

TEST(PValue, IsStudentsT) {
  EXPECT_NEAR(PValue(2.045, 1, 29), 0.05, 0.0005);
  EXPECT_NEAR(PValue(2.776, 1, 4), 0.05, 0.002);
  EXPECT_NEAR(PValue(3.659, 1, 29), 0.001, 0.00005);
  EXPECT_EQ(PValue(0, 0, 5), 1);
  EXPECT_EQ(PValue(1, 0, 5), 0);
}

}  // namespace
}  // namespace slowtoken::analysis
