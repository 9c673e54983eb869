#include "capture/worker.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace slowtoken::capture {
namespace {

struct Counted {
  std::atomic<int> rounds{0};
  std::atomic<int> last_rounds{0};
  std::atomic<bool> signals_blocked{false};
  std::atomic<int> last_round_us{0};

  Worker::Job Job() {
    return {[](void* self) {
              auto* c = static_cast<Counted*>(self);
              sigset_t mask;
              pthread_sigmask(SIG_SETMASK, nullptr, &mask);
              c->signals_blocked = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGUSR1) == 1;
              ++c->rounds;
            },
            [](void* self, base::TimeNs) {
              auto* c = static_cast<Counted*>(self);
              if (c->last_round_us != 0) usleep(static_cast<useconds_t>(c->last_round_us.load()));
              ++c->last_rounds;
            },
            this};
  }
};

void WaitForRounds(const Counted& counted, int rounds) {
  while (counted.rounds < rounds) usleep(1000);
}

TEST(Worker, RoundsComeByThemselvesAndTheLastOneAtStop) {
  Counted counted;
  Worker worker;
  ASSERT_TRUE(worker.Start(counted.Job(), 1));
  WaitForRounds(counted, 3);
  EXPECT_TRUE(worker.Stop(10'000));
  EXPECT_EQ(counted.last_rounds, 1);
  EXPECT_TRUE(counted.signals_blocked) << "the host's signals are the host's";
}

TEST(Worker, ItStandsBehindTheHostsThreads) {
  struct Seen {
    std::atomic<int> policy{-1}, nice{-100};
  } seen;
  const Worker::Job job{[](void* self) {
                          auto* s = static_cast<Seen*>(self);
                          s->nice = getpriority(PRIO_PROCESS, 0);
                          s->policy = sched_getscheduler(0);
                        },
                        [](void*, base::TimeNs) {}, &seen};
  Worker worker;
  ASSERT_TRUE(worker.Start(job, 1));
  while (seen.policy == -1) usleep(1000);
  EXPECT_TRUE(worker.Stop(10'000));
  EXPECT_EQ(seen.policy, SCHED_BATCH) << "its waking up takes no CPU from a thread that runs";
  EXPECT_EQ(seen.nice, std::min(getpriority(PRIO_PROCESS, 0) + 5, 19));
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER) << "the host's threads are as they were";
}

TEST(Worker, WakeDoesNotWaitForThePeriod) {
  Counted counted;
  Worker worker;
  ASSERT_TRUE(worker.Start(counted.Job(), 3'600'000));
  WaitForRounds(counted, 1);  // the one at start
  worker.Wake();
  WaitForRounds(counted, 2);
  EXPECT_TRUE(worker.Stop(10'000));
}

TEST(Worker, LooksComeBetweenRoundsAsOftenAsIsWanted) {
  struct Looking {
    std::atomic<int> rounds{0}, looks{0};
    std::atomic<uint32_t> period_ms{1};
  } looking;
  Worker worker;
  const Worker::Job job{[](void* self) { ++static_cast<Looking*>(self)->rounds; }, [](void*, base::TimeNs) {}, &looking,
                        [](void* self) {
                          ++static_cast<Looking*>(self)->looks;
                          return false;
                        },
                        [](void* self) { return static_cast<Looking*>(self)->period_ms.load(); }};
  ASSERT_TRUE(worker.Start(job, 3'600'000));
  while (looking.looks < 20) usleep(1000);
  EXPECT_EQ(looking.rounds, 1);
  EXPECT_TRUE(worker.Stop(10'000));
}

TEST(Worker, StopGivesUpAtItsLimit) {
  static Counted counted;  // the thread outlives the test
  static Worker worker;
  counted.last_round_us = 2'000'000;
  ASSERT_TRUE(worker.Start(counted.Job(), 3'600'000));
  EXPECT_FALSE(worker.Stop(20));
  while (counted.last_rounds == 0) usleep(10'000);
}

TEST(Worker, StopTwiceAndStopWithoutStartAreHarmless) {
  Counted counted;
  Worker worker;
  EXPECT_TRUE(worker.Stop(10));
  ASSERT_TRUE(worker.Start(counted.Job(), 1000));
  EXPECT_TRUE(worker.Stop(10'000));
  EXPECT_TRUE(worker.Stop(10'000));
  EXPECT_EQ(counted.last_rounds, 1);
}

}  // namespace
}  // namespace slowtoken::capture
