// The same events through two pipelines, one of which samples: the sampled trace has less detail, in whole pieces, and
// the same conclusions.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "../times.h"
#include "recorded_trace.h"
#include "scripted_source.h"

namespace slowtoken::capture::testing {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;

constexpr uint64_t kIterations = 300;

// What a replay brings.
class Replayed final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::Kernel& kernel) override { ++kernels[kernel.correlation]; }
  void On(const record::ApiCall& call) override { ++calls[call.correlation]; }
  void On(const Annotation& annotation) override {
    if (annotation.end != 0) ++annotations;
  }
  void On(const record::RequestSummary& s) override {
    std::vector<uint64_t> all = {s.req, s.arrival, s.end, s.ttft_ns, s.tokens, s.iterations, s.gpu_share_ns};
    all.insert(all.end(), s.ttft_phases.begin(), s.ttft_phases.end());
    summaries.insert(all);
  }
  void On(const record::GapSummary& s) override {
    std::vector<uint64_t> all = {s.req, s.n, s.gap_ns};
    all.insert(all.end(), s.phases.begin(), s.phases.end());
    summaries.insert(all);
  }
  void On(const record::IterationSummary& s) override {
    summaries.insert({s.key.iter, s.start, s.end, s.kernels, s.graph_launches, s.gpu_busy_ns});
  }
  void On(const record::HistogramSnapshot& h) override {
    histograms[{static_cast<int>(h.metric), h.label}] = {h.count, h.sum_ns, h.max_ns};
  }
  void On(const record::CaptureTotals& t) override { totals = t; }
  void On(const record::DetailChange& c) override { level = c; }
  void On(const record::LossTotals& t) override { losses = t.counts; }

  std::map<record::CorrelationId, int> kernels, calls;
  int annotations = 0;
  std::multiset<std::vector<uint64_t>> summaries;
  std::map<std::pair<int, uint8_t>, std::vector<uint64_t>> histograms;
  record::CaptureTotals totals;
  record::DetailChange level;
  std::array<uint64_t, base::kLossCount> losses{};
};

// One request that decodes through all iterations, an iteration every 2 ms with three launches of two kernels each.
class Workload {
 public:
  explicit Workload(base::TimeNs start) : start_(start) {}

  void Into(ScriptedSource& source) const {
    Req(source, AnnotationName::kReq, start_, start_ + (kIterations + 2) * 2 * kMs);
    for (uint64_t iter = 1; iter <= kIterations; ++iter) {
      const base::TimeNs at = start_ + iter * 2 * kMs;
      Annotation range;
      range.name = AnnotationName::kIter;
      range.kind = record::AnnotationKind::kPushPop;
      range.thread = range.end_thread = 1;
      range.start = at;
      range.end = at + 3 * kMs / 2;
      range.Set(AnnotationField::kIterNo, iter);
      source.Add(range);
      Batch(source, iter, at);
      for (uint32_t i = 0; i < 3; ++i) Launch(source, static_cast<uint32_t>(iter) * 3 + i, at + 1000 + i * 200'000);
      Token(source, iter, at + 3 * kMs / 2 - 1000);
    }
  }

 private:
  static void Req(ScriptedSource& source, AnnotationName name, base::TimeNs start, base::TimeNs end) {
    Annotation range;
    range.name = name;
    range.kind = record::AnnotationKind::kStartEnd;
    range.start = start;
    range.end = end;
    range.thread = range.end_thread = 2;
    range.range_id = 77;
    range.Set(AnnotationField::kReqId, 7);
    source.Add(range);
  }
  static void Batch(ScriptedSource& source, uint64_t iter, base::TimeNs at) {
    Annotation mark;
    mark.name = AnnotationName::kBatch;
    mark.batch_is_set = true;
    mark.start = mark.end = at + 500;
    mark.thread = 1;
    mark.Set(AnnotationField::kIterNo, iter);
    source.Add(mark,
               {{.req = 7, .n_tok = 1, .kind = iter == 1 ? record::RowKind::kPrefill : record::RowKind::kDecode}});
  }
  static void Token(ScriptedSource& source, uint64_t iter, base::TimeNs at) {
    Annotation mark;
    mark.name = AnnotationName::kReqToken;
    mark.start = mark.end = at;
    mark.thread = 1;
    mark.Set(AnnotationField::kReqId, 7);
    mark.Set(AnnotationField::kIterNo, iter);
    mark.Set(AnnotationField::kN, iter);
    source.Add(mark);
  }
  static void Launch(ScriptedSource& source, record::CorrelationId id, base::TimeNs at) {
    source.Add(record::ApiCall{
        .start = at, .end = at + 2000, .correlation = id, .thread = 1, .api_class = record::ApiClass::kKernelLaunch});
    for (uint64_t i = 0; i < 2; ++i) {
      const base::TimeNs start = at + 10'000 + i * 60'000;
      source.Add(record::Kernel{.start = start, .end = start + 50'000, .correlation = id});
    }
  }

  base::TimeNs start_;
};

Replayed Record(const Workload& workload, void (*adjust)(Config&)) {
  ScriptedSource source;
  RecordedTrace trace(source, adjust);
  workload.Into(source);
  trace.pipeline().Round();
  trace.pipeline().Round();
  trace.pipeline().LastRound(base::MonotonicNow() + 1'000'000'000);
  Replayed seen;
  trace.ReplayFrom(0, seen);
  return seen;
}

Workload LongAgo() { return Workload(base::MonotonicNow() - 4'000 * kMs); }

TEST(SampledTrace, SaysTheSameWithLessDetail) {
  const Workload workload = LongAgo();
  const Replayed whole = Record(workload, nullptr);
  const Replayed sampled =
      Record(workload, [](Config& config) { config.sampling = {.by_request = false, .keep_one_in = 10}; });
  ASSERT_EQ(whole.calls.size(), 3 * kIterations);
  ASSERT_GT(whole.summaries.size(), 2 * kIterations - 10);
  EXPECT_EQ(sampled.summaries, whole.summaries);
  EXPECT_EQ(sampled.histograms, whole.histograms);
  EXPECT_EQ(sampled.annotations, whole.annotations) << "requests and iterations are told in full";
  EXPECT_EQ(sampled.level.level, record::DetailLevel::kSampled);
  EXPECT_EQ(sampled.level.keep_one_in, 10u);

  EXPECT_GT(sampled.calls.size(), 3 * kIterations / 20);
  EXPECT_LT(sampled.calls.size(), 3 * kIterations / 5);
  std::map<uint32_t, int> of_iteration;
  for (const auto& [id, times] : sampled.calls) {
    EXPECT_EQ(sampled.kernels.count(id), 1u) << "a kept launch has its kernels";
    ++of_iteration[id / 3];
  }
  for (const auto& [id, count] : sampled.kernels) {
    EXPECT_EQ(count, 2);
    EXPECT_EQ(sampled.calls.count(id), 1u) << "a kept kernel has its launch";
  }
  for (const auto& [iter, launches] : of_iteration) EXPECT_EQ(launches, 3) << "iteration " << iter << " is whole";
  EXPECT_EQ(sampled.losses, whole.losses) << "nothing is lost by it";
}

TEST(SampledTrace, ARequestThatFallsIntoTheSampleKeepsAllItsIterations) {
  const Workload workload = LongAgo();
  const auto by_request = [](Config& config) { config.sampling = {.by_request = true, .keep_one_in = 7}; };
  const Replayed kept = Record(workload, by_request);
  EXPECT_EQ(kept.calls.size(), 3 * kIterations) << "7 divides the request's pseudonym";
  const Replayed left_out =
      Record(workload, [](Config& config) { config.sampling = {.by_request = true, .keep_one_in = 5}; });
  EXPECT_TRUE(left_out.calls.empty());
  EXPECT_TRUE(left_out.kernels.empty());
  EXPECT_EQ(left_out.summaries, kept.summaries);
}

TEST(SampledTrace, ABudgetIsToldAtTheHeadOfTheTrace) {
  const Replayed seen = Record(LongAgo(), [](Config& config) { config.budget_ppm = 12'345; });
  EXPECT_EQ(seen.level.level, record::DetailLevel::kFull);
  EXPECT_EQ(seen.level.budget_ppm, 12'345u);
  EXPECT_EQ(seen.calls.size(), 3 * kIterations);
}

}  // namespace
}  // namespace slowtoken::capture::testing
