// Which cause a slow first token gets: a row of plain requests, and one that is unlike them.
#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "cause_scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::TtftPhase;

constexpr record::RequestId kPlain = 40, kOdd = 41;  // requests 1 … kPlain are plain; then comes the odd one

struct Path {
  TimeNs handoff = 50 * kUs, tokenize = 200 * kUs, queue = 200 * kUs, schedule = 200 * kUs, submit = 300 * kUs;
  TimeNs prefill = 2 * kMs, wait = 0;  // wait: between two chunks
  TimeNs sample = 200 * kUs, commit = 100 * kUs, send = 100 * kUs;
  uint64_t prompt = 100;
};

struct Times {
  TimeNs arrival = 0, tokenize = 0, queued = 0, schedule = 0, submit = 0, prefill = 0, wait = 0, sample = 0, send = 0;
};

class FirstTokenCausesTest : public CauseScene {
 protected:
  void Play(const Path& odd, const std::function<void(const Times&)>& more = {}) {
    TimeNs at = kCauseStart;
    for (record::RequestId req = 1; req <= kOdd; ++req) {
      const Times times = Add(req, req == kOdd ? odd : Path{}, at);
      if (req == kOdd && more) more(times);
      at = times.send + kSecond;
    }
    Watch(at + kSecond);
    Deliver();
  }

  // As they happened, with an Advance after each request: what is usual is learnt from requests that are over.
  void Deliver() {
    std::stable_sort(scene_.log().begin(), scene_.log().end(),
                     [](const LoggedEvent& a, const LoggedEvent& b) { return a.known < b.known; });
    TimeNs next = kCauseStart + kSecond;
    for (const LoggedEvent& event : scene_.log()) {
      for (; event.known > next; next += 100 * kMs) bench_.Advance(next);
      event.DeliverTo(bench_.engine());
    }
    bench_.engine().Finish();
  }

  Times Add(record::RequestId req, const Path& path, TimeNs at) {
    Times t;
    t.arrival = at;
    t.tokenize = t.arrival + path.handoff;
    t.queued = t.tokenize + path.tokenize;
    t.schedule = t.queued + path.queue;
    t.submit = t.schedule + path.schedule;
    t.prefill = t.submit + path.submit;
    t.wait = t.prefill + path.prefill / 2;
    t.sample = t.prefill + path.prefill + path.wait;
    const TimeNs committed = t.sample + path.sample + path.commit;
    t.send = committed + path.send;
    scene_.Req(req, t.arrival, t.send + kMs, path.prompt);
    scene_.Tokenize(req, t.tokenize, t.queued);
    scene_.Mark(AnnotationName::kReqQueued, req, t.queued);
    scene_.Mark(AnnotationName::kReqScheduled, req, t.schedule);
    if (path.wait == 0) {
      Prefill(2 * req, {req, static_cast<uint32_t>(path.prompt), record::RowKind::kPrefill}, t.prefill,
              {t.schedule, t.submit, t.sample, t.sample + path.sample});
    } else {
      const auto half = static_cast<uint32_t>(path.prompt / 2);
      Prefill(2 * req, {req, half, record::RowKind::kChunk}, t.prefill, {t.schedule, t.submit, t.wait, t.wait + kUs});
      const TimeNs again = t.wait + path.wait;
      Prefill(2 * req + 1, {req, half, record::RowKind::kPrefill}, again,
              {again - 300 * kUs, again - 200 * kUs, t.sample, t.sample + path.sample});
    }
    scene_.Token(req, 1, committed, path.wait == 0 ? 2 * req : 2 * req + 1);
    scene_.Send(req, 1, committed, t.send, 1);
    scene_.FinishMark(req, t.send, record::FinishReason::kLength);
    return t;
  }

  // An iteration of one request, which waits for its kernel before it samples.
  void Prefill(uint64_t iter, record::BatchRow row, TimeNs gpu, const IterationTimes& t) {
    const auto id = static_cast<record::CorrelationId>(iter);
    Iteration(iter, true, {row}, t);
    scene_.Launch(id, gpu - 20 * kUs, gpu - 10 * kUs, {.thread = kWorker});
    scene_.Kernel(id, gpu, t.launched);
  }

  void ExpectCause(TtftPhase phase, Cause cause, EvidenceKind evidence, Confidence confidence = Confidence::kHigh) {
    const record::RequestSummary* odd = bench_.out().Find(kOdd);
    ASSERT_NE(odd, nullptr);
    ASSERT_TRUE(odd->is_slow);
    EXPECT_STREQ(record::kTtftPhaseNames[static_cast<size_t>(odd->largest_phase)],
                 record::kTtftPhaseNames[static_cast<size_t>(phase)]);
    ExpectFinding(odd->finding, cause, evidence, confidence);
    for (record::RequestId req = 1; req <= kPlain; ++req) {
      const record::RequestSummary* plain = bench_.out().Find(req);
      ASSERT_NE(plain, nullptr);
      EXPECT_FALSE(plain->is_slow) << req;
    }
  }
  const CauseFinding& Finding() { return bench_.out().Find(kOdd)->finding; }
};

TEST_F(FirstTokenCausesTest, QueuedForTheReasonTheEngineGives) {
  Play({.queue = 40 * kMs},
       [&](const Times& t) { scene_.Waiting(kOdd, t.queued + kUs, record::WaitReason::kKvSpace); });
  ExpectCause(TtftPhase::kQueue, Cause::kQueueKvSpace, EvidenceKind::kWaitMarks);
}

TEST_F(FirstTokenCausesTest, QueuedForNoReasonGivenIsNotSure) {
  Play({.queue = 40 * kMs});
  ExpectCause(TtftPhase::kQueue, Cause::kQueueOther, EvidenceKind::kWaitMarks, Confidence::kLow);
}

TEST_F(FirstTokenCausesTest, QueuedWhileTheSchedulerHadNoCpu) {
  Play({.queue = 40 * kMs}, [&](const Times& t) {
    scene_.Waiting(kOdd, t.queued + kUs, record::WaitReason::kBudget);
    Off(kScheduler, t.queued + kMs, t.schedule - kMs, record::OffCpuReason::kPreempted);
  });
  ExpectCause(TtftPhase::kQueue, Cause::kHostPaused, EvidenceKind::kThreadWaited);
}

TEST_F(FirstTokenCausesTest, ASchedulerThatSleptMeanwhileIsNoReason) {
  Play({.queue = 40 * kMs}, [&](const Times& t) {
    scene_.Waiting(kOdd, t.queued + kUs, record::WaitReason::kBudget);
    Off(kScheduler, t.queued + kMs, t.schedule - kMs, record::OffCpuReason::kBlocked);
  });
  ExpectCause(TtftPhase::kQueue, Cause::kQueueBudget, EvidenceKind::kWaitMarks);
}

TEST_F(FirstTokenCausesTest, WaitingForRemoteKv) {
  Play({.queue = 40 * kMs},
       [&](const Times& t) { scene_.Waiting(kOdd, t.queued + kUs, record::WaitReason::kRemoteKv); });
  ExpectCause(TtftPhase::kKvWait, Cause::kQueueRemoteKv, EvidenceKind::kWaitMarks);
}

TEST_F(FirstTokenCausesTest, ATokenizerBusyWithAnother) {
  Play({.handoff = 40 * kMs}, [&](const Times& t) {
    scene_.Tokenize(900, t.arrival + kMs, t.tokenize - 10 * kUs);
    scene_.Mark(AnnotationName::kReqQueued, 900, t.tokenize);
  });
  ExpectCause(TtftPhase::kHandoff, Cause::kTokenizer, EvidenceKind::kBusyTokenizer);
  EXPECT_EQ(Finding().req, 900u);
  EXPECT_EQ(Finding().evidence_start_ns, kMs);
}

// Its texts, not the pauses between them, are the evidence: a thread that lost its CPU there is a busy one still.
TEST_F(FirstTokenCausesTest, ATokenizerBusyWithOthersThatPausedBetweenThem) {
  Play({.handoff = 40 * kMs}, [&](const Times& t) {
    scene_.Tokenize(900, t.arrival - 20 * kMs, t.arrival + 36 * kMs);
    scene_.Mark(AnnotationName::kReqQueued, 900, t.tokenize);
    scene_.Tokenize(901, t.tokenize - 2 * kMs, t.tokenize - kMs);
    scene_.Mark(AnnotationName::kReqQueued, 901, t.tokenize);
  });
  ExpectCause(TtftPhase::kHandoff, Cause::kTokenizer, EvidenceKind::kBusyTokenizer);
  EXPECT_EQ(Finding().req, 900u);
  EXPECT_EQ(Finding().evidence_start_ns, 0u);
  EXPECT_EQ(Finding().evidence_ns, 37 * kMs);
}

TEST_F(FirstTokenCausesTest, ATokenizerBusyForHalfOfTheHandoffIsNotSure) {
  Play({.handoff = 40 * kMs}, [&](const Times& t) {
    scene_.Tokenize(900, t.arrival + 10 * kMs, t.arrival + 35 * kMs);
    scene_.Mark(AnnotationName::kReqQueued, 900, t.tokenize);
  });
  ExpectCause(TtftPhase::kHandoff, Cause::kTokenizer, EvidenceKind::kBusyTokenizer, Confidence::kLow);
}

TEST_F(FirstTokenCausesTest, ATokenizerThatHadLittleToDoExplainsNoHandoff) {
  Play({.handoff = 40 * kMs}, [&](const Times& t) {
    scene_.Tokenize(900, t.arrival + 35 * kMs, t.tokenize - 10 * kUs);
    scene_.Mark(AnnotationName::kReqQueued, 900, t.tokenize);
  });
  ExpectCause(TtftPhase::kHandoff, Cause::kUnknown, EvidenceKind::kNone, Confidence::kNone);
}

TEST_F(FirstTokenCausesTest, AHandoffThatNothingExplainsStaysUnknown) {
  Play({.handoff = 40 * kMs});
  ExpectCause(TtftPhase::kHandoff, Cause::kUnknown, EvidenceKind::kNone, Confidence::kNone);
}

TEST_F(FirstTokenCausesTest, OthersBetweenItsChunks) {
  Play({.wait = 40 * kMs}, [&](const Times& t) {
    const Options other{.thread = kWorker, .engine = 1};
    scene_.Batch(900, t.wait, true, {Row(7, 4000, record::RowKind::kPrefill)}, {}, other);
    scene_.Range(AnnotationName::kIter, 900, t.wait, t.wait + kMs, other);
    scene_.Launch(kSpare, t.wait + 10 * kUs, t.wait + 20 * kUs, other);
    scene_.Kernel(kSpare, t.wait + kMs, t.wait + 39 * kMs);
  });
  ExpectCause(TtftPhase::kPrefillWait, Cause::kChunkInterleaving, EvidenceKind::kOthersBetween);
  EXPECT_EQ(Finding().amount, 1u);
}

TEST_F(FirstTokenCausesTest, ALongPromptTakesAsLongAsItIs) {
  Play({.prefill = 40 * kMs, .prompt = 2000});
  ExpectCause(TtftPhase::kPrefill, Cause::kLongPrompt, EvidenceKind::kOwnPrompt);
  EXPECT_EQ(Finding().amount, 2000u);
}

TEST_F(FirstTokenCausesTest, AShortPromptThatTakesLongRanOnASlowGpu) {
  Play({.prefill = 40 * kMs});
  ExpectCause(TtftPhase::kPrefill, Cause::kGpuSlow, EvidenceKind::kSlowKernels);
}

TEST_F(FirstTokenCausesTest, LoadingCodeIsAColdStart) {
  Play({.submit = 40 * kMs}, [&](const Times& t) {
    scene_.Launch(kSpare, t.submit + kMs, t.prefill - kMs, {.thread = kWorker}, record::ApiClass::kModule);
  });
  ExpectCause(TtftPhase::kSubmit, Cause::kColdStart, EvidenceKind::kModuleLoad);
}

TEST_F(FirstTokenCausesTest, TheGpuWasBusyWithOthers) {
  Play({.submit = 40 * kMs}, [&](const Times& t) {
    // Launched at once, run late: others' work is in front.
    scene_.Launch(kSpare + 1, t.submit + 20 * kUs, t.submit + 30 * kUs, {.thread = kWorker});
    scene_.Kernel(kSpare + 1, t.prefill, t.prefill + 10 * kUs);
    const Options other{.thread = 3, .engine = 1};
    scene_.Batch(900, t.submit - kMs, true, {Row(7, 1, record::RowKind::kDecode)}, {}, other);
    scene_.Range(AnnotationName::kIter, 900, t.submit - kMs, t.submit, other);
    scene_.Launch(kSpare, t.submit - kMs, t.submit - kMs + 10 * kUs, other);
    scene_.Kernel(kSpare, t.submit, t.prefill - kUs);
  });
  ExpectCause(TtftPhase::kBacklog, Cause::kBacklog, EvidenceKind::kOtherGpuWork);
}

TEST_F(FirstTokenCausesTest, TheGpuWasBusyWithNobodysIteration) {
  Play({.submit = 40 * kMs}, [&](const Times& t) {
    scene_.Launch(kSpare + 1, t.submit + 20 * kUs, t.submit + 30 * kUs, {.thread = kWorker});
    scene_.Kernel(kSpare + 1, t.prefill, t.prefill + 10 * kUs);
    const Options other{.thread = 3, .engine = 1};
    scene_.Range(AnnotationName::kIter, 900, t.submit - kMs, t.submit, other, record::kFlagDummy);
    scene_.Launch(kSpare, t.submit - kMs, t.submit - kMs + 10 * kUs, other);
    scene_.Kernel(kSpare, t.submit, t.prefill - kUs);
  });
  ExpectCause(TtftPhase::kBacklog, Cause::kBacklog, EvidenceKind::kOtherGpuWork);
}

TEST_F(FirstTokenCausesTest, ManyGraphsCapturedOneAfterAnotherAreOneColdStart) {
  Play({.submit = 400 * kMs}, [&](const Times& t) {
    for (record::CorrelationId k = 0; k < 398; ++k) {  // a millisecond apart
      record::ApiCall call;
      call.start = t.submit + kMs + k * kMs;
      call.end = call.start + 20 * kUs;
      call.correlation = kSpare + k;
      call.thread = kWorker;
      call.captured = true;
      Log(call, call.end);
    }
  });
  ExpectCause(TtftPhase::kSubmit, Cause::kColdStart, EvidenceKind::kGraphBuild);
}

TEST_F(FirstTokenCausesTest, AWorkerThatSleptIsPaused) {
  Play({.submit = 40 * kMs},
       [&](const Times& t) { Off(kWorker, t.submit + kMs, t.prefill - kMs, record::OffCpuReason::kBlocked); });
  ExpectCause(TtftPhase::kSubmit, Cause::kHostPaused, EvidenceKind::kThreadBlocked);
}

TEST_F(FirstTokenCausesTest, ASchedulerThatComputedDelayedIt) {
  Play({.schedule = 40 * kMs});
  ExpectCause(TtftPhase::kSchedule, Cause::kSchedulerDelay, EvidenceKind::kThreadRan);
}

TEST_F(FirstTokenCausesTest, EveryCpuPhaseOfEveryFirstTokenIsTold) {
  class ThreadLog final : public PhaseThreadVisitor {
   public:
    void On(const PhaseThread& spent) override {
      if (spent.n == 0) told[{spent.req, static_cast<TtftPhase>(spent.phase)}] = spent;
    }
    std::map<std::pair<record::RequestId, TtftPhase>, PhaseThread> told;
  } log;
  bench_.engine().TellThreads(log);
  Play({.submit = 40 * kMs},
       [&](const Times& t) { Off(kWorker, t.submit + kMs, t.prefill - kMs, record::OffCpuReason::kBlocked); });
  for (record::RequestId req = 1; req <= kOdd; ++req) {
    for (const TtftPhase phase : {TtftPhase::kSchedule, TtftPhase::kSubmit, TtftPhase::kSample}) {
      ASSERT_TRUE(log.told.contains({req, phase})) << req << " " << static_cast<int>(phase);
      const PhaseThread& spent = log.told.at({req, phase});
      EXPECT_EQ(spent.ns, bench_.out().Find(req)->ttft_phases[static_cast<size_t>(phase)]);
      EXPECT_EQ(spent.ran_ns() + spent.waited_ns() + spent.blocked_ns(), spent.ns);
    }
  }
  EXPECT_EQ(log.told.at({kOdd, TtftPhase::kSubmit}).thread, kWorker);
  EXPECT_EQ(log.told.at({kOdd, TtftPhase::kSubmit}).blocked_ns(), 38 * kMs);
}

TEST_F(FirstTokenCausesTest, AFirstTokenThatIsThereAndNotSent) {
  Play({.send = 40 * kMs});
  ExpectCause(TtftPhase::kTransport, Cause::kTransportBackpressure, EvidenceKind::kCommittedEarly);
}

TEST_F(FirstTokenCausesTest, FreshServersAreNotSlowBelowASecond) {
  Add(1, {.queue = 900 * kMs}, kCauseStart);
  Add(2, {.queue = 1100 * kMs}, kCauseStart + 2 * kSecond);
  Deliver();
  EXPECT_FALSE(bench_.out().Find(1)->is_slow);
  EXPECT_TRUE(bench_.out().Find(2)->is_slow);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
