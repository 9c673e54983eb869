// CauseScene: two threads of an engine, one that schedules and one that launches, whose iterations a test makes as it
// likes, and the cause that comes out. The fixture of the tests of stalls (stall_scene.h) and of slow first tokens.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "scene.h"

namespace slowtoken::attribution::testing {

using record::AnnotationName;
using record::Cause;
using record::CauseFinding;
using record::Confidence;
using record::EvidenceKind;

constexpr TimeNs kCauseStart = 5 * kSecond;
constexpr record::ThreadId kScheduler = 1, kWorker = 2;
constexpr record::CorrelationId kSpare = 100'000;  // ids from here on are the test's

// Where an iteration has what: scheduled from `schedule` to `submit`, launched until `launched`, sampled until `end`.
struct IterationTimes {
  TimeNs schedule = 0, submit = 0, launched = 0, end = 0;
};

class CauseScene : public ::testing::Test {
 protected:
  explicit CauseScene(const EngineConfig& config = SmallConfig()) : bench_(config) {}

  // All of an iteration but its GPU work. `is_set`: `rows` is the whole batch, else what joins.
  void Iteration(uint64_t iter, bool is_set, const std::vector<record::BatchRow>& rows, const IterationTimes& t) {
    const Options worker{.thread = kWorker};
    scene_.Range(AnnotationName::kIterSchedule, iter, t.schedule, t.submit, {.thread = kScheduler});
    scene_.Batch(iter, t.submit - 10 * kUs, is_set, rows);
    scene_.Range(AnnotationName::kIter, iter, t.submit, t.end + 10 * kUs, worker);
    scene_.Range(AnnotationName::kIterForward, {}, t.submit + 10 * kUs, t.launched, worker);
    scene_.Range(AnnotationName::kIterSample, {}, t.launched, t.end, worker);
  }

  // Samples of both threads up to `end`, in pieces of 100 ms.
  void Watch(TimeNs end) {
    for (const record::ThreadId thread : {kScheduler, kWorker}) {
      for (TimeNs at = kCauseStart; at < end; at += 100 * kMs) {
        record::CpuSample sample{.start = at, .end = at + 100 * kMs, .ran_ns = ran_, .thread = thread, .exact = exact_};
        sample.waited_ns = waited_;
        Log(sample, sample.end);
      }
    }
  }
  void Off(record::ThreadId thread, TimeNs start, TimeNs end, record::OffCpuReason reason) {
    Log(record::OffCpu{start, end, thread, reason, false, 0}, end);
  }
  void HostRange(AnnotationName name, record::ThreadId thread, TimeNs start, TimeNs end) {
    scene_.Range(name, {}, start, end, {.thread = thread});
  }
  template <typename Event>
  void Log(const Event& event, TimeNs known) {
    scene_.log().push_back({event, {}, known});
  }

  static void ExpectFinding(const CauseFinding& finding, Cause cause, EvidenceKind evidence, Confidence confidence) {
    EXPECT_STREQ(record::kCauseNames[static_cast<size_t>(finding.cause)],
                 record::kCauseNames[static_cast<size_t>(cause)]);
    EXPECT_STREQ(record::kEvidenceNames[static_cast<size_t>(finding.evidence)],
                 record::kEvidenceNames[static_cast<size_t>(evidence)]);
    EXPECT_EQ(finding.confidence, confidence);
  }

  Bench bench_;
  Scene scene_{bench_};
  bool exact_ = true;  // of the samples that Watch makes
  uint64_t ran_ = 100 * kMs, waited_ = 0;
};

}  // namespace slowtoken::attribution::testing
