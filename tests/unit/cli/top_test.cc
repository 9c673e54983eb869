// What `top` shows: differences between two looks, and how they are laid out in windows of any size.
#include <gmock/gmock.h>

#include "analysis/text_safety.h"
#include "attribution/histogram.h"
#include "top_screen.h"

namespace slowtoken::cli {
namespace {

using analysis::Present;
using record::Counter;
using record::Metric;
using ::testing::HasSubstr;

constexpr record::TimeNs kStart = 1'000'000'000'000;

void Put(Present& p, Metric metric, uint8_t label, uint64_t ns, uint64_t times) {
  analysis::PresentHistogram& h = p.histograms[{metric, label}];
  h.buckets[attribution::BucketIndex(ns)] += times;
  h.count += times;
  h.sum_ns += ns * times;
  h.max_ns = std::max(h.max_ns, ns);
}

// A process after `seconds`, with so many requests a second until then.
Present Process(uint64_t pid, const std::string& role, bool frontend, uint64_t seconds, uint64_t per_second = 10) {
  Present p;
  p.process.run_id = "00ff";
  p.process.role = role;
  p.process.pid = pid;
  p.process.start = kStart;
  p.now = kStart + seconds * 1'000'000'000;
  p.counters[{Counter::kRequests, 1, 0}] = seconds * per_second;
  p.counters[{Counter::kTokens, 2, 0}] = seconds * per_second * 20;
  if (frontend) {
    Put(p, Metric::kTtft, 0, 100'000'000, seconds * per_second);
    Put(p, Metric::kTtftPhase, static_cast<uint8_t>(record::TtftPhase::kQueue), 60'000'000, seconds * per_second);
    Put(p, Metric::kTtftPhase, static_cast<uint8_t>(record::TtftPhase::kPrefill), 40'000'000, seconds * per_second);
    Put(p, Metric::kItlStep, 0, 20'000'000, seconds * per_second * 19);
    Put(p, Metric::kItlPhase, static_cast<uint8_t>(record::GapPhase::kGpuBusy), 19'000'000, seconds * per_second * 19);
    p.counters[{Counter::kStalls, 0, 0}] = seconds;
  } else {
    p.counters[{Counter::kGpuBusyNs, 0, 0}] = seconds * 800'000'000;
    p.counters[{Counter::kGpuIdleNs, 0, 0}] = seconds * 200'000'000;
    p.devices[0] = {"GPU-12345678-aaaa", "Test"};
    Put(p, Metric::kLaunchApi, 0, 2000, seconds * 1000);
    Put(p, Metric::kLaunchDelay, 0, 5'000'000, seconds * 900);
  }
  p.cost.worker_cpu_ns = seconds * 4'000'000;
  p.detail = record::DetailChange{.time = kStart, .budget_ppm = 10'000};
  return p;
}

TopRun Only(const TopLook& before, const TopLook& now) {
  const std::vector<TopRun> runs = TopNumbers(before, now);
  EXPECT_EQ(runs.size(), 1u);
  return runs.empty() ? TopRun{} : runs[0];
}

TEST(TopNumbers, AreRatesOfTheIntervalAndEachRequestCountsOnce) {
  const TopRun run = Only({Process(1, "frontend", true, 10), Process(2, "engine", false, 10)},
                          {Process(1, "frontend", true, 12), Process(2, "engine", false, 12)});
  EXPECT_FALSE(run.since_start);
  EXPECT_DOUBLE_EQ(run.seconds, 2);
  EXPECT_NEAR(run.requests_per_s.value_or(0), 10, 1e-9) << "frontend and engine saw the same requests";
  EXPECT_NEAR(run.tokens_per_s.value_or(0), 200, 1e-9);
  EXPECT_EQ(run.stalls.at("unknown"), 2u);
  EXPECT_EQ(run.ttft.count, 20u);
  EXPECT_NEAR(static_cast<double>(run.ttft.p99_ns), 1e8, 1e6);
  ASSERT_EQ(run.ttft.phases.size(), 2u);
  EXPECT_EQ(run.ttft.phases[0].name, "queue") << "the largest first";
  EXPECT_EQ(run.itl.count, 380u);
  EXPECT_EQ(run.launches, 2000u);
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_NEAR(run.devices[0].busy, 0.8, 1e-9);
  EXPECT_NEAR(run.devices[0].idle.at("host"), 0.2, 1e-9);
  EXPECT_FALSE(run.devices[0].idle.contains("no_work")) << "not told, so not shown";
  EXPECT_NEAR(run.own_cost, 0.004, 1e-9);
  EXPECT_NEAR(run.budget, 0.01, 1e-9);
}

TEST(TopNumbers, AProcessThatIsNewOrStartedAnewCountsFromItsStart) {
  Present again = Process(1, "frontend", true, 5);
  const TopRun fresh = Only({}, {again});
  EXPECT_TRUE(fresh.since_start);
  EXPECT_EQ(fresh.ttft.count, 50u);
  Present before = Process(1, "frontend", true, 100);
  before.process.start -= 1;
  before.process.pid_start_ticks = 77;
  EXPECT_EQ(Only({before}, {again}).ttft.count, 50u) << "the same pid, another process";
}

TEST(TopNumbers, RunsAreKeptApart) {
  Present other = Process(3, "engine", false, 10);
  other.process.run_id = "0100";
  EXPECT_EQ(TopNumbers({}, {Process(1, "frontend", true, 10), other}).size(), 2u);
}

std::vector<std::string> Screen(size_t width, size_t height) {
  const TopLook before = {Process(1, "frontend", true, 10), Process(2, "engine", false, 10)};
  const TopLook now = {Process(1, "frontend", true, 12), Process(2, "engine", false, 12)};
  return TopLines(TopNumbers(before, now), "slowtoken top", {width, height});
}

TEST(TopScreen, ShowsItAllInAnOrdinaryWindow) {
  const std::vector<std::string> lines = Screen(80, 24);
  EXPECT_LE(lines.size(), 24u);
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  for (const char* text :
       {"run 00ff  last 2.00 s", "frontend 1: recording in full detail", "10.0 requests/s · 200 tokens/s",
        "stalls: unknown 2", "TTFT, 20", "ITL, 380", "queue", "gpu_busy", "launches 2,000", "GPU-12345678",
        "busy 80.0 %", "host 20.0 %", "dropped 0 · blind never", "own cost 0.4 % of 1.0 % CPU"}) {
    EXPECT_THAT(all, HasSubstr(text));
  }
}

TEST(TopScreen, NoLineIsWiderAndNoneTooManyInAnyWindow) {
  for (const size_t width : {1u, 20u, 40u, 75u, 76u, 80u, 200u}) {
    for (const size_t height : {2u, 3u, 5u, 10u, 24u, 60u}) {
      const std::vector<std::string> lines = Screen(width, height);
      EXPECT_LE(lines.size(), height);
      for (const std::string& line : lines) EXPECT_LE(analysis::Columns(line), width) << line;
    }
  }
}

TEST(TopScreen, PhasesGiveWayBeforeAnythingElse) {
  const std::vector<std::string> lines = Screen(80, 11);
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  EXPECT_THAT(all, HasSubstr("smaller"));
  EXPECT_THAT(all, HasSubstr("own cost"));
}

}  // namespace
}  // namespace slowtoken::cli
