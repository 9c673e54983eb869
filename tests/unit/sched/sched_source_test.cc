#include "sched/sched_source.h"

#include <signal.h>
#include <sys/wait.h>

#include <map>
#include <memory>

#include "sched_fixture.h"

namespace slowtoken::sched {
namespace {

using record::AnnotationName;
using record::SourceState;
using ::testing::HasSubstr;

using SchedSourceTest = SchedTest;

TEST_F(SchedSourceTest, ThreadsThatDoNothingForATokenAreNotWatched) {
  BusyThread thread;
  Active(thread.id(), AnnotationName::kGc);
  Collect();
  thread.Spin(1'000'000);
  Collect();
  EXPECT_TRUE(log_.samples.empty());
  EXPECT_TRUE(log_.statuses.empty());
}

TEST_F(SchedSourceTest, SamplesCoverAllTimeWithoutGaps) {
  BusyThread thread;
  Active(thread.id());
  Collect();
  for (int i = 0; i < 5; ++i) {
    thread.Spin(1'000'000);
    Collect();
  }
  ASSERT_EQ(log_.samples.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const record::CpuSample& sample = log_.samples[i];
    EXPECT_EQ(sample.thread, thread.id());
    EXPECT_LE(sample.ran_ns + sample.waited_ns, sample.end - sample.start);
    if (i > 0) EXPECT_EQ(sample.start, log_.samples[i - 1].end);
  }
}

TEST_F(SchedSourceTest, WhatHappenedBeforeTheWatermarkHasBeenTold) {
  BusyThread thread;
  Watch(thread);
  const record::TimeNs round = base::MonotonicNow();
  Collect();
  ASSERT_FALSE(log_.samples.empty());
  EXPECT_LE(source_->CompleteUpTo(clock_, round), log_.samples.back().end);
  EXPECT_LE(source_->CompleteUpTo(clock_, round), round);
}

TEST_F(SchedSourceTest, AWatchedThreadHasItsNameToldOnce) {
  BusyThread thread;
  thread.Do([] { pthread_setname_np(pthread_self(), "engine-core"); });
  Active(thread.id());
  Collect();
  Collect();
  ASSERT_EQ(log_.names.size(), 1u);
  EXPECT_EQ(log_.names[0].thread, thread.id());
  EXPECT_EQ(dictionary_.text(log_.names[0].name), "engine-core");
}

TEST_F(SchedSourceTest, ANameThatHasBeenToldIsLeftAlone) {
  BusyThread thread;
  active_.Note(record::ThreadInfo{.thread = thread.id(), .name = dictionary_.InternText("as NVTX says")});
  Active(thread.id());
  Collect();
  EXPECT_TRUE(log_.names.empty());
}

TEST_F(SchedSourceTest, TheStatusSaysWhatIsKnownOnce) {
  BusyThread first, second;
  Active(first.id());
  Active(second.id());
  Collect();
  Collect();
  ASSERT_EQ(log_.statuses.size(), 1u);
  EXPECT_EQ(log_.statuses[0].source, record::Source::kThreads);
  if (!Switches()) GTEST_SKIP() << "no perf events here: " << Detail(0);
  EXPECT_EQ(log_.statuses[0].state, SourceState::kActive);
  EXPECT_EQ(Detail(0), "context switches and totals");
  EXPECT_FALSE(log_.statuses[0].BeginsBlind());
}

TEST_F(SchedSourceTest, TotalsAloneWhereNoMoreIsAskedFor) {
  Make({.switches = false});
  BusyThread thread;
  Active(thread.id());
  Collect();
  const uint64_t ran = thread.Spin(20'000'000);
  Collect();
  ASSERT_EQ(log_.samples.size(), 1u);
  EXPECT_FALSE(log_.samples[0].exact);
  EXPECT_GE(log_.samples[0].ran_ns, ran);
  EXPECT_TRUE(log_.off.empty());
  EXPECT_EQ(Detail(0), "totals only: SLOWTOKEN_SCHED=totals");
  record::OwnCost cost;
  source_->AddCost(cost);
  EXPECT_EQ(cost.memory_bytes, 0u);
}

TEST_F(SchedSourceTest, TotalsAreReadBetweenRoundsWhileSomethingHappens) {
  Make({.switches = false});
  EXPECT_EQ(source_->LookPeriodMs(), 0u);
  BusyThread thread;
  Active(thread.id());
  Collect();
  EXPECT_EQ(source_->LookPeriodMs(), 20u);
  source_->Look();  // at once after the round: too soon
  for (int i = 0; i < 3; ++i) {
    thread.Spin(12'000'000);
    source_->Look();
  }
  EXPECT_TRUE(log_.samples.empty()) << "what is seen comes with the next round";
  Collect();
  ASSERT_GE(log_.samples.size(), 4u);  // a machine that pauses here makes the look at once after the round one more
  for (size_t i = log_.samples.size() - 4; i < log_.samples.size() - 1; ++i) {
    EXPECT_GE(log_.samples[i].ran_ns, 11'000'000u);
    EXPECT_EQ(log_.samples[i].end, log_.samples[i + 1].start);
  }
  SetPaused(true);
  EXPECT_EQ(source_->LookPeriodMs(), 0u);
}

TEST_F(SchedSourceTest, ThreadsWithSwitchesNeedNoLookBetweenRounds) {
  BusyThread thread;
  Watch(thread);
  if (!Switches()) GTEST_SKIP() << "no perf events here: " << Detail(0);
  EXPECT_EQ(source_->LookPeriodMs(), 0u);
}

// What finds no room is in a longer sample, and no time is missing.
TEST_F(SchedSourceTest, LooksWithoutRoomLeaveNoGap) {
  Make({.switches = false});
  constexpr size_t kThreads = 10, kLooks = 60, kRoom = 512;
  static_assert(kThreads * kLooks > kRoom);
  std::vector<std::unique_ptr<BusyThread>> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.push_back(std::make_unique<BusyThread>());
    Active(threads.back()->id());
  }
  Collect();
  for (size_t i = 0; i < kLooks; ++i) {
    usleep(10'100);
    source_->Look();
  }
  Collect();
  EXPECT_LE(log_.samples.size(), kRoom);
  EXPECT_GT(log_.samples.size(), kRoom - 2 * WatchList::kMost);
  std::map<record::ThreadId, record::TimeNs> last;
  for (const record::CpuSample& sample : log_.samples) {
    if (last.count(sample.thread) != 0) EXPECT_EQ(sample.start, last[sample.thread]);
    last[sample.thread] = sample.end;
  }
  EXPECT_EQ(last.size(), kThreads);
}

TEST_F(SchedSourceTest, AThreadThatEndsIsForgottenAndItsLastSwitchesTold) {
  auto thread = std::make_unique<BusyThread>();
  Watch(*thread);
  const record::ThreadId id = thread->id();
  if (!Switches()) GTEST_SKIP() << "no perf events here: " << Detail(0);
  thread->Do([] { SleepFor(5'000'000); });
  thread.reset();
  Collect();
  EXPECT_GT(log_.Of(id).blocked, 4'000'000u);
  const size_t told = log_.samples.size();
  Collect();
  EXPECT_EQ(log_.samples.size(), told);
  size_t known = 0;
  active_.ForEach([&](const capture::ActiveThreads::Entry&) { ++known; });
  EXPECT_EQ(known, 0u);
  record::OwnCost cost;
  source_->AddCost(cost);
  EXPECT_EQ(cost.memory_bytes, 0u);
}

TEST_F(SchedSourceTest, AThreadThatIsGoneBeforeItIsWatchedIsForgotten) {
  record::ThreadId id = 0;
  {
    BusyThread thread;
    id = thread.id();
  }
  Active(id);
  Collect();
  Collect();
  EXPECT_TRUE(log_.samples.empty());
  EXPECT_EQ(losses_.Get(base::Loss::kThreadsUnwatched), 0u);
}

TEST_F(SchedSourceTest, MoreThreadsThatComputeThanPlacesAreCountedOnce) {
  std::vector<std::unique_ptr<BusyThread>> threads;
  for (size_t i = 0; i < WatchList::kMost + 3; ++i) {
    threads.push_back(std::make_unique<BusyThread>());
    Active(threads.back()->id(), AnnotationName::kIterForward);
  }
  Collect();
  Collect();
  EXPECT_EQ(log_.samples.size(), WatchList::kMost);
  EXPECT_EQ(losses_.Get(base::Loss::kThreadsUnwatched), 3u);
}

TEST_F(SchedSourceTest, ThreadsThatComputeComeFirstAndLeavingOutThoseThatServeIsNoLoss) {
  constexpr size_t kThreads = WatchList::kMost + 3;
  std::vector<std::unique_ptr<BusyThread>> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.push_back(std::make_unique<BusyThread>());
    Active(threads.back()->id(), AnnotationName::kReqTokenize);
  }
  Collect();
  Collect();
  EXPECT_EQ(log_.samples.size(), WatchList::kMost);
  EXPECT_EQ(losses_.Get(base::Loss::kThreadsUnwatched), 0u);
  const record::ThreadId engine = threads[0]->id();  // the first to be silent: left out
  EXPECT_EQ(log_.Of(engine).sampled, 0u);
  Active(engine, AnnotationName::kIterForward);
  Collect();
  Collect();
  EXPECT_GT(log_.Of(engine).sampled, 0u);
  EXPECT_EQ(losses_.Get(base::Loss::kThreadsUnwatched), 0u);
}

TEST_F(SchedSourceTest, APauseEndsTheWatchAndItGoesOnAfterwards) {
  BusyThread thread;
  Watch(thread);
  SetPaused(true);
  thread.Spin(1'000'000);
  Collect();
  EXPECT_TRUE(log_.samples.empty());
  const record::TimeNs now = base::MonotonicNow();
  EXPECT_EQ(source_->CompleteUpTo(clock_, now), now);
  SetPaused(false);
  Active(thread.id());
  Collect();
  thread.Spin(1'000'000);
  Collect();
  ASSERT_EQ(log_.samples.size(), 1u);
  EXPECT_FALSE(log_.samples[0].exact);
}

TEST_F(SchedSourceTest, RingsAndSwitchesAreOwnCost) {
  BusyThread thread;
  Watch(thread);
  if (!Switches()) GTEST_SKIP() << "no perf events here: " << Detail(0);
  record::OwnCost before, after;
  source_->AddCost(before);
  EXPECT_EQ(before.memory_bytes, SwitchRing::kLeastBytes + SwitchRing::kPage);
  thread.Do([] {
    for (int i = 0; i < 100; ++i) SleepFor(10'000);
  });
  Collect();
  source_->AddCost(after);
  EXPECT_GE(after.callback_ns - before.callback_ns, 200 * 1000u);
}

// More than half full: the next ring is wider, and nothing is lost or told twice.
TEST_F(SchedSourceTest, ABusyRingGrowsWithoutALoss) {
  Make({.most_switches = UINT32_MAX});
  BusyThread thread;
  Watch(thread);
  if (!Switches()) GTEST_SKIP() << "no perf events here: " << Detail(0);
  constexpr int kSleeps = 400;  // 800 records of 24 bytes: more than half of 32 KB
  for (int round = 0; round < 4; ++round) {
    const BusyThread::Own own = thread.Do([] {
      for (int i = 0; i < kSleeps; ++i) SleepFor(1'000);
    });
    Collect();
    EXPECT_GT(own.length(), 0u);
  }
  record::OwnCost cost;
  source_->AddCost(cost);
  EXPECT_GT(cost.memory_bytes, SwitchRing::kLeastBytes + SwitchRing::kPage);
  EXPECT_EQ(losses_.Get(base::Loss::kSwitchesLost), 0u);
  for (const record::CpuSample& sample : log_.samples) EXPECT_TRUE(sample.exact);
}

TEST_F(SchedSourceTest, AnOverfullRingIsALossAndTheSampleInexact) {
  Make({.most_switches = UINT32_MAX});
  BusyThread thread;
  Watch(thread);
  if (!Switches()) GTEST_SKIP() << "no perf events here: " << Detail(0);
  const auto overfill = [&] {
    thread.Do([] {
      for (int i = 0; i < 3500; ++i) SleepFor(1'000);
    });
    Collect();
    ASSERT_FALSE(log_.samples.empty());
    EXPECT_FALSE(log_.samples.back().exact);
  };
  overfill();  // the ring grows, and what it had dropped is not known
  EXPECT_EQ(losses_.Get(base::Loss::kSwitchesLost), 1u);
  overfill();
  overfill();  // it cannot grow further
  EXPECT_EQ(losses_.Get(base::Loss::kSwitchesLost), 2u);
  thread.Spin(1'000'000);
  Collect();
  EXPECT_GT(losses_.Get(base::Loss::kSwitchesLost), 2 * 3500 - SwitchRing::kMostBytes / 24 - 10);
}

// Of two threads the one that is switched too often is watched by its totals alone; the other goes on.
TEST_F(SchedSourceTest, WatchingSwitchesHasABudget) {
  BusyThread busy, calm;
  Active(busy.id());
  Active(calm.id());
  Collect();
  if (!Switches()) GTEST_SKIP() << "no perf events here: " << Detail(0);
  const record::TimeNs start = base::MonotonicNow();
  uint64_t pairs = 0;
  while (base::MonotonicNow() - start < 1'500'000'000) {
    busy.Do([&] {
      for (int i = 0; i < 500; ++i, ++pairs) SleepFor(1'000);
    });
    Collect();
  }
  if (pairs < Options().most_switches) GTEST_SKIP() << "this machine is too busy to switch often";
  calm.Spin(1'000'000);  // its first switch tells its state
  Collect();
  log_.Clear();
  busy.Spin(1'000'000);
  calm.Spin(1'000'000);
  Collect();
  EXPECT_FALSE(log_.Of(busy.id()).exact);
  EXPECT_TRUE(log_.Of(calm.id()).exact);
  ASSERT_EQ(log_.statuses.size(), 2u);
  EXPECT_EQ(log_.statuses[1].state, SourceState::kActive);
  EXPECT_EQ(Detail(1), "totals only of some threads: they are switched too often");
}

// A fork does not have the rings; what it inherits is given back, and the parent's go on.
TEST_F(SchedSourceTest, AForkedChildForgets) {
  BusyThread thread;
  Watch(thread);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    source_->ForgetInChild();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  thread.Spin(1'000'000);
  Collect();
  EXPECT_FALSE(log_.samples.empty());
}

}  // namespace
}  // namespace slowtoken::sched
