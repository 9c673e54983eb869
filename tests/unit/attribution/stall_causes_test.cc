// Which cause a stall gets, from which evidence.
#include <gmock/gmock.h>

#include "stall_scene.h"

namespace slowtoken::attribution::testing {
namespace {

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
    Log(sample, sample.end);
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
      Log(call, call.end);
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

// One of a microsecond is no reason to wait; twenty thousand in a row are.
TEST_F(StallCausesTest, ManyShortAllocationsInARow) {
  constexpr uint64_t kPairs = 9000;
  Play({.submit = 30 * kMs}, [&](const Times& t) {
    for (uint64_t i = 0; i < kPairs; ++i) {
      const TimeNs at = t.submit + kMs + i * 3 * kUs;
      scene_.Launch(kSpare, at, at + 2 * kUs, {.thread = kWorker}, record::ApiClass::kMemory);
    }
  });
  ExpectCause(Cause::kKvCacheSync, EvidenceKind::kMemoryCall);
  EXPECT_EQ(Stall().finding.amount, kPairs);
}

TEST_F(StallCausesTest, ShortAllocationsNowAndThenAreNoReason) {
  Play({.submit = 30 * kMs}, [&](const Times& t) {
    for (TimeNs at = t.submit + kMs; at + kMs < t.gpu; at += 20 * kUs)
      scene_.Launch(kSpare, at, at + 2 * kUs, {.thread = kWorker}, record::ApiClass::kMemory);
  });
  ExpectCause(Cause::kSchedulerDelay, EvidenceKind::kThreadRan);
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
    Log(overhead, overhead.end);
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
    Log(status, status.time);
    status.state = record::SourceState::kActive;
    status.reason = record::BlindReason::kNone;
    status.time = t.submit - kMs;
    Log(status, status.time);
  });
  ExpectCause(Cause::kUnknown, EvidenceKind::kBlind, Confidence::kNone);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
