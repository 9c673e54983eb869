// Which cause a stall gets, from which evidence: one decoding request, one step of it unlike the others.
#include <gmock/gmock.h>

#include <functional>

#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::AnnotationKind;
using record::AnnotationName;
using record::Cause;
using record::CauseFinding;
using record::Confidence;
using record::EvidenceKind;
using record::GapPhase;

constexpr TimeNs kBase = 5 * kSecond;
constexpr record::ThreadId kScheduler = 1, kWorker = 2;
constexpr uint64_t kSteps = 60, kOdd = 50;  // tokens; the one that stalls
constexpr record::CorrelationId kSpare = 100'000;

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

class StallCausesTest : public ::testing::Test {
 protected:
  // Plays kSteps steps, the odd one as given; `more` adds what happens in it.
  void Play(const Step& odd, const std::function<void(const Times&)>& more = {}) {
    TimeNs at = kBase;
    for (uint64_t i = 1; i <= kSteps; ++i) {
      const Times times = Add(i, i == kOdd ? odd : Step{}, at);
      if (i == kOdd && more) more(times);
      at = times.end;
    }
    end_ = at;
    if (watched_) Watch();
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
    const Options worker{.thread = kWorker};
    scene_.Range(AnnotationName::kIterSchedule, i, t.schedule, t.submit, {.thread = kScheduler});
    std::vector<record::BatchRow> rows = step.joins;
    if (i == 1) rows.push_back(Row(1, 1, record::RowKind::kDecode));
    scene_.Batch(i, t.submit - 10 * kUs, i == 1, rows);
    scene_.Range(AnnotationName::kIter, i, t.submit, t.commit + 10 * kUs, worker);
    const TimeNs launched = step.launches == 1 ? t.gpu : t.sample;  // kernel by kernel takes until the last one
    scene_.Range(AnnotationName::kIterForward, {}, t.submit + 10 * kUs, launched, worker);
    AddGpu(i, step, t, worker);
    scene_.Range(AnnotationName::kIterSample, {}, launched + 5 * kUs, t.commit, worker);
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

  // Samples of both threads over everything, in pieces of 100 ms.
  void Watch() {
    for (const record::ThreadId thread : {kScheduler, kWorker}) {
      for (TimeNs at = kBase; at < end_ + kSecond; at += 100 * kMs) {
        record::CpuSample sample{.start = at, .end = at + 100 * kMs, .ran_ns = ran_, .thread = thread, .exact = exact_};
        sample.waited_ns = waited_;
        scene_.log().push_back({sample, {}, sample.end});
      }
    }
  }
  void Off(record::ThreadId thread, TimeNs start, TimeNs end, record::OffCpuReason reason) {
    scene_.log().push_back({record::OffCpu{start, end, thread, reason, 0}, {}, end});
  }
  void HostRange(AnnotationName name, record::ThreadId thread, TimeNs start, TimeNs end) {
    scene_.Range(name, {}, start, end, {.thread = thread});
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
    EXPECT_STREQ(record::kCauseNames[static_cast<size_t>(stall.finding.cause)],
                 record::kCauseNames[static_cast<size_t>(cause)])
        << record::kGapPhaseNames[static_cast<size_t>(stall.largest_phase)];
    EXPECT_STREQ(record::kEvidenceNames[static_cast<size_t>(stall.finding.evidence)],
                 record::kEvidenceNames[static_cast<size_t>(evidence)]);
    EXPECT_EQ(stall.finding.confidence, confidence);
  }

  Bench bench_;
  Scene scene_{bench_};
  TimeNs end_ = 0;
  bool watched_ = true, exact_ = true;
  uint64_t ran_ = 100 * kMs, waited_ = 0;
};

TEST_F(StallCausesTest, ASchedulerThatComputesDelaysItself) {
  Play({.schedule = 30 * kMs});
  ExpectCause(Cause::kSchedulerDelay, EvidenceKind::kThreadRan);
  const CauseFinding finding = Stall().finding;
  EXPECT_EQ(finding.thread, kScheduler);
  EXPECT_GE(finding.evidence_ns, 29 * kMs);
  EXPECT_LT(finding.evidence_start_ns, 1 * kMs) << "counted from the start of the gap";
}

TEST_F(StallCausesTest, ASchedulerThatSleepsIsPaused) {
  Play({.schedule = 30 * kMs},
       [&](const Times& t) { Off(kScheduler, t.schedule + kMs, t.submit - kMs, record::OffCpuReason::kBlocked); });
  ExpectCause(Cause::kHostPaused, EvidenceKind::kThreadBlocked);
  EXPECT_EQ(Stall().finding.evidence_ns, 28 * kMs);
}

TEST_F(StallCausesTest, ASchedulerWithoutACpuWaited) {
  Play({.schedule = 30 * kMs},
       [&](const Times& t) { Off(kScheduler, t.schedule + kMs, t.submit - kMs, record::OffCpuReason::kPreempted); });
  ExpectCause(Cause::kHostPaused, EvidenceKind::kThreadWaited);
}

TEST_F(StallCausesTest, AThreadWokenWithoutACpuWaitedToo) {
  waited_ = 27 * kMs;  // the switches say blocked; the totals say that it could have run
  Play({.schedule = 30 * kMs},
       [&](const Times& t) { Off(kScheduler, t.schedule + kMs, t.submit - kMs, record::OffCpuReason::kBlocked); });
  ExpectCause(Cause::kHostPaused, EvidenceKind::kThreadWaited);
}

TEST_F(StallCausesTest, AThrottledCgroupIsNamed) {
  Play({.schedule = 30 * kMs}, [&](const Times& t) {
    Off(kScheduler, t.schedule + kMs, t.submit - kMs, record::OffCpuReason::kPreempted);
    const record::HostSample sample{.start = t.schedule, .end = t.submit, .throttled_ns = 27 * kMs};
    scene_.log().push_back({sample, {}, sample.end});
  });
  ExpectCause(Cause::kHostPaused, EvidenceKind::kThrottled);
  EXPECT_EQ(Stall().finding.amount, 27 * kMs);
}

TEST_F(StallCausesTest, TheLaunchingThreadAnswersForSubmit) {
  Play({.submit = 30 * kMs},
       [&](const Times& t) { Off(kWorker, t.submit + kMs, t.gpu - kMs, record::OffCpuReason::kBlocked); });
  ExpectCause(Cause::kHostPaused, EvidenceKind::kThreadBlocked);
  EXPECT_EQ(Stall().finding.thread, kWorker);
}

TEST_F(StallCausesTest, WithoutThreadStatesAHostPhaseStaysUnknown) {
  watched_ = false;
  Play({.schedule = 30 * kMs});
  ExpectCause(Cause::kUnknown, EvidenceKind::kNone, Confidence::kNone);
}

TEST_F(StallCausesTest, TotalsAloneAreNotSure) {
  exact_ = false;
  ran_ = 0;
  Play({.schedule = 30 * kMs});
  ExpectCause(Cause::kHostPaused, EvidenceKind::kThreadBlocked, Confidence::kLow);
}

TEST_F(StallCausesTest, SamplingThatComputes) {
  Play({.sample = 30 * kMs});
  ExpectCause(Cause::kSampling, EvidenceKind::kSampleWork);
  EXPECT_EQ(Stall().finding.iter, kOdd);
}

TEST_F(StallCausesTest, SamplingByAThreadThatSleepsIsAPause) {
  Play({.sample = 30 * kMs},
       [&](const Times& t) { Off(kWorker, t.sample + kMs, t.commit - kMs, record::OffCpuReason::kBlocked); });
  ExpectCause(Cause::kHostPaused, EvidenceKind::kThreadBlocked);
}

TEST_F(StallCausesTest, AThreadThatWaitsForSamplingOnTheGpuIsNotPaused) {
  Play({.sample = 30 * kMs}, [&](const Times& t) {
    Off(kWorker, t.sample + kMs, t.commit - kMs, record::OffCpuReason::kBlocked);
    scene_.Launch(kSpare, t.sample - 50 * kUs, t.sample - 40 * kUs, {.thread = kWorker});
    scene_.Kernel(kSpare, t.sample, t.commit - 100 * kUs, "topKSampling");
  });
  ExpectCause(Cause::kSampling, EvidenceKind::kSampleWork);
}

TEST_F(StallCausesTest, ATokenThatIsThereAndNotSent) {
  Play({.send = 30 * kMs});
  ExpectCause(Cause::kTransportBackpressure, EvidenceKind::kCommittedEarly);
}

TEST_F(StallCausesTest, AnothersPromptInItsOwnIteration) {
  Play({.schedule = 33 * kMs}, [&](const Times& t) {
    const Options other{.thread = kWorker, .engine = 1};
    scene_.Batch(900, t.schedule, true, {Row(7, 4000, record::RowKind::kPrefill)}, {}, other);
    scene_.Range(AnnotationName::kIter, 900, t.schedule + kMs, t.schedule + 2 * kMs, other);
    scene_.Launch(kSpare, t.schedule + kMs, t.schedule + kMs + 10 * kUs, other);
    scene_.Kernel(kSpare, t.schedule + 2 * kMs, t.schedule + 32 * kMs);
  });
  ExpectCause(Cause::kPrefillInterference, EvidenceKind::kOtherPrefill);
  const CauseFinding finding = Stall().finding;
  EXPECT_EQ(finding.iter, 900u);
  EXPECT_EQ(finding.req, 7u);
  EXPECT_EQ(finding.amount, 4000u);
  EXPECT_EQ(finding.evidence_ns, 30 * kMs);
}

TEST_F(StallCausesTest, AnothersPromptInAMixedIteration) {
  Play({.gpu = 32 * kMs, .joins = {Row(7, 4000, record::RowKind::kPrefill, record::RowOp::kJoin)}});
  ExpectCause(Cause::kPrefillInterference, EvidenceKind::kOtherPrefill);
  EXPECT_EQ(Stall().finding.req, 7u);
}

TEST_F(StallCausesTest, TheSameWorkThatTakesLonger) {
  Play({.gpu = 32 * kMs});
  ExpectCause(Cause::kGpuSlow, EvidenceKind::kSlowKernels);
  EXPECT_NEAR(static_cast<double>(Stall().finding.amount), 2e6, 2e4) << "the usual time";
}

TEST_F(StallCausesTest, EagerLaunchesWhereAGraphIsUsual) {
  Play({.gpu = 32 * kMs, .launches = 40});
  ExpectCause(Cause::kGraphMiss, EvidenceKind::kEagerLaunch);
  EXPECT_EQ(Stall().finding.amount, 40u);
}

TEST_F(StallCausesTest, BuildingAGraphIsAGraphMiss) {
  Play({.submit = 30 * kMs}, [&](const Times& t) {
    for (record::CorrelationId k = 0; k < 280; ++k) {  // captured launches, one behind the other
      record::ApiCall call;
      call.start = t.submit + kMs + k * 100 * kUs;
      call.end = call.start + 50 * kUs;
      call.correlation = kSpare + k;
      call.thread = kWorker;
      call.api_class = record::ApiClass::kKernelLaunch;
      call.captured = true;
      scene_.log().push_back({call, {}, call.end});
    }
  });
  ExpectCause(Cause::kGraphMiss, EvidenceKind::kGraphBuild);
}

TEST_F(StallCausesTest, CompilingIsAGraphMiss) {
  Play({.submit = 30 * kMs},
       [&](const Times& t) { HostRange(AnnotationName::kJit, kWorker, t.submit + kMs, t.gpu - kMs); });
  ExpectCause(Cause::kGraphMiss, EvidenceKind::kJit);
}

TEST_F(StallCausesTest, GarbageCollectionPausesTheHost) {
  Play({.schedule = 30 * kMs},
       [&](const Times& t) { HostRange(AnnotationName::kGc, kScheduler, t.schedule + kMs, t.submit - kMs); });
  ExpectCause(Cause::kHostPaused, EvidenceKind::kGc);
  EXPECT_EQ(Stall().largest_phase, GapPhase::kGc);
}

TEST_F(StallCausesTest, WorkOfAThreadThatServesSomethingElseIsNoEvidence) {
  Play({.schedule = 30 * kMs}, [&](const Times& t) { HostRange(AnnotationName::kGc, 77, t.schedule, t.submit); });
  ExpectCause(Cause::kSchedulerDelay, EvidenceKind::kThreadRan);
}

TEST_F(StallCausesTest, MovingKvCacheStalls) {
  Play({.schedule = 30 * kMs},
       [&](const Times& t) { HostRange(AnnotationName::kKvSwap, kScheduler, t.schedule + kMs, t.submit - kMs); });
  ExpectCause(Cause::kKvCacheSync, EvidenceKind::kKvWork);
}

TEST_F(StallCausesTest, AnAllocationThatSynchronises) {
  Play({.submit = 30 * kMs}, [&](const Times& t) {
    scene_.Launch(kSpare, t.submit + kMs, t.gpu - kMs, {.thread = kWorker}, record::ApiClass::kMemory);
  });
  ExpectCause(Cause::kKvCacheSync, EvidenceKind::kMemoryCall);
}

TEST_F(StallCausesTest, EvidenceForLessThanHalfOfTheExcessIsNotEnough) {
  Play({.submit = 30 * kMs}, [&](const Times& t) {
    scene_.Launch(kSpare, t.submit + kMs, t.submit + 14 * kMs, {.thread = kWorker}, record::ApiClass::kMemory);
  });
  ExpectCause(Cause::kSchedulerDelay, EvidenceKind::kThreadRan);
}

TEST_F(StallCausesTest, PreemptionIsNamed) {
  Play({.schedule = 30 * kMs}, [&](const Times& t) {
    scene_.Mark(AnnotationName::kReqPreempted, 1, t.schedule + 100 * kUs);
    scene_.Mark(AnnotationName::kReqResumed, 1, t.submit - 100 * kUs);
  });
  ExpectCause(Cause::kPreempted, EvidenceKind::kPreemption);
}

TEST_F(StallCausesTest, WaitingInACollective) {
  Play({.gpu = 32 * kMs, .kernel = "ncclDevKernel_AllReduce_Sum_f16_RING_LL"});
  ExpectCause(Cause::kCollectiveWait, EvidenceKind::kCollective);
  EXPECT_EQ(Stall().finding.iter, kOdd);
}

TEST_F(StallCausesTest, OurOwnFlushIsOwnedUpTo) {
  Play({.submit = 30 * kMs}, [&](const Times& t) {
    const record::Overhead overhead{t.submit + kMs, t.gpu - kMs, kWorker, record::OverheadKind::kBufferFlush, 0};
    scene_.log().push_back({overhead, {}, overhead.end});
  });
  ExpectCause(Cause::kProfiler, EvidenceKind::kOwnFlush);
}

TEST_F(StallCausesTest, ABlindStallStaysUnknown) {
  Play({.schedule = 30 * kMs}, [&](const Times& t) {
    record::SourceStatus status;
    status.source = record::Source::kCupti;
    status.state = record::SourceState::kLost;
    status.reason = record::BlindReason::kOtherTool;
    status.time = t.schedule + kMs;
    scene_.log().push_back({status, {}, status.time});
    status.state = record::SourceState::kActive;
    status.reason = record::BlindReason::kNone;
    status.time = t.submit - kMs;
    scene_.log().push_back({status, {}, status.time});
  });
  ExpectCause(Cause::kUnknown, EvidenceKind::kBlind, Confidence::kNone);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
