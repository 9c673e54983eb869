// How the thread whose turn it was spent the phase of largest excess, whatever the cause.
#include <gmock/gmock.h>

#include <map>

#include "stall_scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::OffCpuReason;

class ActingThreadTest : public StallCausesTest {
 protected:
  void Move(TimeNs at) { Log(record::OffCpu{at - 5 * kUs, at, kScheduler, OffCpuReason::kPreempted, true, 0}, at); }
  void ExpectActing(record::ThreadId thread, uint64_t ran, uint64_t waited, uint64_t blocked, uint32_t migrations) {
    const CauseFinding finding = Stall().finding;
    EXPECT_EQ(finding.acting_thread, thread);
    EXPECT_EQ(finding.acting_ran_ns, ran);
    EXPECT_EQ(finding.acting_waited_ns, waited);
    EXPECT_EQ(finding.acting_blocked_ns, blocked);
    EXPECT_EQ(finding.acting_migrations, migrations);
  }
};

TEST_F(ActingThreadTest, RanWaitedAndWasBlockedAddUpToThePhase) {
  Play({.schedule = 30 * kMs}, [&](const Times& t) {
    Off(kScheduler, t.schedule + kMs, t.schedule + 24 * kMs, OffCpuReason::kBlocked);
    Off(kScheduler, t.schedule + 25 * kMs, t.schedule + 28 * kMs, OffCpuReason::kPreempted);
  });
  ExpectCause(Cause::kHostPaused, EvidenceKind::kThreadBlocked);
  // The phase is what is left of scheduling when the token before had been sent.
  const record::GapSummary stall = Stall();
  const uint64_t phase = stall.phases[static_cast<size_t>(GapPhase::kSchedule)];
  ExpectActing(kScheduler, phase - 26 * kMs, 3 * kMs, 23 * kMs, 0);
}

TEST_F(ActingThreadTest, MovesToAnotherCpuAreCountedWithinThePhase) {
  Play({.schedule = 30 * kMs}, [&](const Times& t) {
    for (const TimeNs at : {t.schedule + 2 * kMs, t.schedule + 9 * kMs, t.submit - kMs}) Move(at);
    Move(t.submit + 100 * kUs);  // it launches by then
  });
  ExpectCause(Cause::kSchedulerDelay, EvidenceKind::kThreadRan);
  EXPECT_EQ(Stall().finding.acting_migrations, 3u);
  EXPECT_EQ(Stall().finding.acting_waited_ns, 15 * kUs);
}

TEST_F(ActingThreadTest, IsToldBesideEvidenceOfAnotherKind) {
  Play({.submit = 30 * kMs}, [&](const Times& t) {
    scene_.Launch(kSpare, t.submit + kMs, t.gpu - kMs, {.thread = kWorker}, record::ApiClass::kMemory);
    Off(kWorker, t.submit + 2 * kMs, t.submit + 4 * kMs, OffCpuReason::kBlocked);
  });
  ExpectCause(Cause::kKvCacheSync, EvidenceKind::kMemoryCall);
  EXPECT_EQ(Stall().finding.acting_thread, kWorker);
  EXPECT_EQ(Stall().finding.acting_blocked_ns, 2 * kMs);
}

TEST_F(ActingThreadTest, IsNobodyWhileTheGpuWorks) {
  Play({.gpu = 30 * kMs});
  EXPECT_EQ(Stall().largest_phase, GapPhase::kGpuBusy);
  ExpectActing(0, 0, 0, 0, 0);
}

TEST_F(ActingThreadTest, IsNotToldWithoutThreadStates) {
  watched_ = false;
  Play({.schedule = 30 * kMs});
  ExpectActing(0, 0, 0, 0, 0);
}

// Every CPU phase of every gap, stall or not.
class ThreadLog final : public PhaseThreadVisitor {
 public:
  void On(const PhaseThread& spent) override { told[{spent.n, static_cast<GapPhase>(spent.phase)}] = spent; }
  std::map<std::pair<uint32_t, GapPhase>, PhaseThread> told;
};

TEST_F(ActingThreadTest, EveryCpuPhaseOfEveryGapIsTold) {
  ThreadLog log;
  bench_.engine().TellThreads(log);
  Play({.schedule = 3 * kMs, .submit = 2 * kMs}, [&](const Times& t) {
    Off(kScheduler, t.schedule + kMs, t.schedule + 2 * kMs, OffCpuReason::kBlocked);
    Off(kWorker, t.submit + kMs, t.submit + 1500 * kUs, OffCpuReason::kPreempted);
    Move(t.schedule + 2500 * kUs);
  });
  for (uint32_t n = 2; n <= kSteps; ++n) {
    for (const GapPhase phase : {GapPhase::kSchedule, GapPhase::kSubmit, GapPhase::kSample, GapPhase::kCommitWait}) {
      const auto found = log.told.find({n, phase});
      ASSERT_NE(found, log.told.end()) << n << " " << record::kGapPhaseNames[static_cast<size_t>(phase)];
      const PhaseThread& spent = found->second;
      EXPECT_TRUE(spent.states.known && spent.states.exact);
      EXPECT_EQ(spent.req, 1u);
      EXPECT_EQ(spent.ran_ns() + spent.waited_ns() + spent.blocked_ns(), spent.ns);
      if (n != kOdd) {
        EXPECT_EQ(spent.ran_ns(), spent.ns);
      }
    }
  }
  const PhaseThread& schedule = log.told.at({kOdd, GapPhase::kSchedule});
  EXPECT_EQ(schedule.thread, kScheduler);
  EXPECT_EQ(schedule.blocked_ns(), kMs);
  EXPECT_EQ(schedule.waited_ns(), 5 * kUs);
  EXPECT_EQ(schedule.states.migrations, 1u);
  const PhaseThread& submit = log.told.at({kOdd, GapPhase::kSubmit});
  EXPECT_EQ(submit.thread, kWorker);
  EXPECT_EQ(submit.waited_ns(), 500 * kUs);
  EXPECT_EQ(submit.ns, 2 * kMs);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
