#include "capture/active_threads.h"

#include <gmock/gmock.h>

#include <vector>

#include "recorded_trace.h"
#include "scripted_source.h"

namespace slowtoken::capture::testing {
namespace {

using record::AnnotationName;
using record::ApiClass;
using Role = ActiveThreads::Role;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

record::Annotation Range(AnnotationName name, record::ThreadId thread, record::TimeNs start, record::TimeNs end) {
  record::Annotation e;
  e.name = name;
  e.thread = thread;
  e.start = start;
  e.end = end;
  return e;
}

record::ApiCall Call(ApiClass api, record::ThreadId thread, record::TimeNs end) {
  record::ApiCall e;
  e.api_class = api;
  e.thread = thread;
  e.end = end;
  return e;
}

std::vector<ActiveThreads::Entry> All(ActiveThreads& active) {
  std::vector<ActiveThreads::Entry> all;
  active.ForEach([&](const ActiveThreads::Entry& entry) { all.push_back(entry); });
  return all;
}

MATCHER_P3(Is, thread, role, last, "") { return arg.thread == thread && arg.role == role && arg.last == last; }

TEST(ActiveThreads, ThoseWithRangesOfIterationsCompute) {
  for (const AnnotationName name : {AnnotationName::kIter, AnnotationName::kIterSample, AnnotationName::kIterUpdate}) {
    ActiveThreads active;
    active.Note(Range(name, 5, 10, 20));
    EXPECT_THAT(All(active), ElementsAre(Is(5u, Role::kComputes, 20u)));
  }
}

TEST(ActiveThreads, ThoseWithRangesAndMarksOfRequestsServe) {
  for (const AnnotationName name : {AnnotationName::kReq, AnnotationName::kReqTokenize, AnnotationName::kReqFinish}) {
    ActiveThreads active;
    active.Note(Range(name, 5, 10, 0));
    EXPECT_THAT(All(active), ElementsAre(Is(5u, Role::kServes, 10u)));
  }
}

TEST(ActiveThreads, ThoseWithGpuWorkCompute) {
  ActiveThreads active;
  const record::ApiCall calls[] = {Call(ApiClass::kKernelLaunch, 5, 20), Call(ApiClass::kGraphLaunch, 5, 30),
                                   Call(ApiClass::kOther, 6, 40), Call(ApiClass::kModule, 7, 40),
                                   Call(ApiClass::kSynchronize, 5, 25)};
  active.Note(calls);
  EXPECT_THAT(All(active), ElementsAre(Is(5u, Role::kComputes, 30u)));
}

TEST(ActiveThreads, OthersDoNotMatter) {
  ActiveThreads active;
  active.Note(Range(AnnotationName::kBatch, 5, 10, 10));
  active.Note(Range(AnnotationName::kGc, 5, 10, 20));
  active.Note(Range(AnnotationName::kIter, 0, 10, 20));
  EXPECT_THAT(All(active), IsEmpty());
}

TEST(ActiveThreads, ARoleOnlyGrows) {
  ActiveThreads active;
  active.Note(Range(AnnotationName::kIter, 5, 10, 20));
  active.Note(Range(AnnotationName::kReqSend, 5, 30, 40));
  EXPECT_THAT(All(active), ElementsAre(Is(5u, Role::kComputes, 40u)));
}

TEST(ActiveThreads, ANameThatWasToldIsRemembered) {
  ActiveThreads active;
  active.Note(record::ThreadInfo{.thread = 5});
  active.Note(Range(AnnotationName::kIter, 5, 10, 20));
  active.Note(Range(AnnotationName::kIter, 6, 10, 20));
  for (const ActiveThreads::Entry& entry : All(active)) EXPECT_EQ(entry.named, entry.thread == 5);
}

TEST(ActiveThreads, WhoHasEndedIsForgottenAndMayComeAgain) {
  ActiveThreads active;
  active.Note(Range(AnnotationName::kIter, 5, 10, 20));
  active.Forget(5);
  EXPECT_THAT(All(active), IsEmpty());
  active.Note(Range(AnnotationName::kReqSend, 5, 30, 40));
  EXPECT_THAT(All(active), ElementsAre(Is(5u, Role::kServes, 40u)));
}

TEST(ActiveThreads, OfTooManyTheSilentGiveWay) {
  ActiveThreads active;
  constexpr record::ThreadId kThreads = 5000;
  for (record::ThreadId thread = 1; thread <= kThreads; ++thread) {
    active.Note(Range(AnnotationName::kIter, 77777, 10, kThreads + thread));  // goes on all the time
    active.Note(Range(AnnotationName::kIter, thread, 10, thread));
  }
  const std::vector<ActiveThreads::Entry> all = All(active);
  EXPECT_LE(all.size(), 256u);
  EXPECT_GT(all.size(), 200u);
  bool kept = false, newest = false;
  for (const ActiveThreads::Entry& entry : all) {
    kept = kept || entry.thread == 77777;
    newest = newest || entry.thread == kThreads;
  }
  EXPECT_TRUE(kept);
  EXPECT_TRUE(newest);
}

// Says of one thread how it slept, as sched/ does, in every round.
class SleepingThread final : public EventSource {
 public:
  void Collect(CollectContext& context) override {
    const record::TimeNs now = base::MonotonicNow();
    context.out.On(record::OffCpu{.start = now - 1000, .end = now, .thread = 5});
    context.out.On(record::CpuSample{.start = now - 1000, .end = now, .thread = 5});
    context.out.On(record::HostSample{.start = now - 1000, .end = now, .major_faults = 1});
  }
};

class StateCounter final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::OffCpu&) override { ++off; }
  void On(const record::CpuSample&) override { ++samples; }
  void On(const record::HostSample&) override { ++host; }
  int off = 0, samples = 0, host = 0;
};

TEST(StatesOfThreads, DoNotMakeAnIdleProcessABusyOneAndAreWritten) {
  SleepingThread source;
  RecordedTrace trace(source);
  for (int i = 0; i < 10; ++i) trace.pipeline().Round();  // the first concludes, as something is always told at start
  EXPECT_EQ(trace.Chunks(), 1u);
  trace.pipeline().LastRound(base::MonotonicNow());
  StateCounter counter;
  trace.ReplayFrom(0, counter);
  EXPECT_EQ(counter.off, 11);
  EXPECT_EQ(counter.samples, 11);
  EXPECT_EQ(counter.host, 11);
}

TEST(StatesOfThreads, ThePipelineKnowsWhoWasActive) {
  ScriptedSource source;
  RecordedTrace trace(source);
  source.Add(Range(AnnotationName::kIter, 5, 10, 20));
  trace.pipeline().Round();
  EXPECT_THAT(All(trace.pipeline().active_threads()), ElementsAre(Is(5u, Role::kComputes, 20u)));
}

}  // namespace
}  // namespace slowtoken::capture::testing
