// StallCausesTest: one decoding request, one step of it unlike the others, and which cause the stall gets. The fixture
// of stall_causes_test.cc and slow_gpu_test.cc.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cause_scene.h"

namespace slowtoken::attribution::testing {

using record::GapPhase;

constexpr uint64_t kSteps = 60, kOdd = 50;  // tokens; the one that stalls

// How long each part of a step takes.
struct Step {
  TimeNs schedule = 200 * kUs, submit = 300 * kUs, gpu = 2 * kMs, sample = 200 * kUs, commit = 100 * kUs;
  TimeNs send = 100 * kUs;
  uint32_t launches = 1;      // 1: a graph
  std::string_view kernel{};  // a kernel of this name instead of the graph
  std::vector<record::BatchRow> joins{};
};

// Where the odd step has what.
struct Times {
  TimeNs schedule = 0, submit = 0, gpu = 0, sample = 0, commit = 0, send = 0, end = 0;  // starts; end of the step
};

class StallCausesTest : public CauseScene {
 protected:
  explicit StallCausesTest(const EngineConfig& config = SmallConfig()) : CauseScene(config) {}

  // Plays kSteps steps, the odd one as given; `more` adds what happens in it.
  void Play(const Step& odd, const std::function<void(const Times&)>& more = {}) {
    TimeNs at = kCauseStart;
    for (uint64_t i = 1; i <= kSteps; ++i) {
      const Times times = Add(i, i == kOdd ? odd : Step{}, at);
      if (i == kOdd && more) more(times);
      at = times.end;
    }
    if (watched_) Watch(at + kSecond);
    scene_.Play();
  }

  Times Add(uint64_t i, const Step& step, TimeNs at) {
    Times t;
    t.schedule = at;
    t.submit = t.schedule + step.schedule;
    t.gpu = t.submit + step.submit;
    t.sample = t.gpu + step.gpu;
    t.commit = t.sample + step.sample;
    t.send = t.commit + step.commit;
    t.end = t.send + step.send;
    std::vector<record::BatchRow> rows = step.joins;
    if (i == 1) rows.push_back(Row(1, 1, record::RowKind::kDecode));
    const TimeNs launched = step.launches == 1 ? t.gpu : t.sample;  // kernel by kernel takes until the last one
    Iteration(i, i == 1, rows, {t.schedule, t.submit, launched, t.commit});
    AddGpu(i, step, t, {.thread = kWorker});
    scene_.Token(1, i, t.send, i);
    scene_.Send(1, i, t.send, t.end, 1);
    return t;
  }

  void AddGpu(uint64_t i, const Step& step, const Times& t, const Options& worker) {
    const auto first = static_cast<record::CorrelationId>(i * 100);
    if (step.launches == 1) {
      scene_.Launch(first, t.gpu - 20 * kUs, t.gpu - 10 * kUs, worker, record::ApiClass::kGraphLaunch);
      if (step.kernel.empty()) {
        scene_.Graph(first, t.gpu, t.sample);
      } else {
        scene_.Kernel(first, t.gpu, t.sample, step.kernel);
      }
      return;
    }
    // Kernel by kernel: the GPU waits for the launches in between.
    const TimeNs each = step.gpu / step.launches;
    for (uint32_t k = 0; k < step.launches; ++k) {
      const TimeNs start = t.gpu + k * each;
      scene_.Launch(first + k, start - 10 * kUs, start - 5 * kUs, worker);
      scene_.Kernel(first + k, start, start + 20 * kUs);
    }
  }

  static record::DeviceSample Sample(TimeNs time, uint64_t reasons) {
    return {.time = time, .throttle_reasons = reasons, .present = record::kSampleThrottle};
  }

  // The one stall there is.
  record::GapSummary Stall() {
    std::vector<record::GapSummary> stalls;
    for (const record::GapSummary& gap : bench_.out().GapsOf(1)) {
      if (gap.is_stall) stalls.push_back(gap);
    }
    EXPECT_EQ(stalls.size(), 1u);
    if (stalls.empty()) return {};
    EXPECT_EQ(stalls[0].n, kOdd);
    return stalls[0];
  }
  void ExpectCause(Cause cause, EvidenceKind evidence, Confidence confidence = Confidence::kHigh) {
    const record::GapSummary stall = Stall();
    SCOPED_TRACE(record::kGapPhaseNames[static_cast<size_t>(stall.largest_phase)]);
    ExpectFinding(stall.finding, cause, evidence, confidence);
  }

  bool watched_ = true;
};

}  // namespace slowtoken::attribution::testing
