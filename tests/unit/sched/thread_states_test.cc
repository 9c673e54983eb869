// What is told about threads against what those threads measured themselves: one that spins, sleeps, waits on a lock,
// is starved by another, or throttled by its cgroup.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <mutex>

#include "sched_fixture.h"

namespace slowtoken::sched {
namespace {

#define SKIP_WITHOUT_SWITCHES() \
  if (!Switches()) GTEST_SKIP() << "no perf events here: " << Detail(0)

class ThreadStates : public SchedTest {
 protected:
  // Within 5 % of the whole, or 3 ms: what the thread does outside of its own measurement, and what a hypervisor takes
  // from a CPU: a switch does not show that, the thread's CPU clock leaves it out.
  void ExpectNear(uint64_t told, uint64_t measured, uint64_t whole, const char* what) {
    const uint64_t allowed = std::max<uint64_t>(whole / 20, 3'000'000);
    EXPECT_GE(told + allowed, measured) << what;
    EXPECT_LE(told, measured + allowed) << what;
  }

  // The parts of the work, as told, in its own time: the thread waits for its next order before and after.
  StateLog::Sums Within(record::ThreadId thread, const BusyThread::Own& own) {
    StateLog inside;
    for (record::OffCpu e : log_.off) {
      e.start = std::max(e.start, own.start);
      e.end = std::min(e.end, own.end);
      if (e.start < e.end) inside.off.push_back(e);
    }
    inside.samples = log_.samples;
    return inside.Of(thread);
  }
};

TEST_F(ThreadStates, AThreadThatSpinsRan) {
  BusyThread thread;
  Watch(thread);
  SKIP_WITHOUT_SWITCHES();
  const BusyThread::Own own = DoAndCollect(thread, [] { UseCpu(150'000'000); });
  const StateLog::Sums sums = Within(thread.id(), own);
  EXPECT_TRUE(sums.exact);
  ExpectNear(sums.ran, own.ran, own.length(), "ran");
  ExpectNear(own.length() - sums.blocked - sums.preempted, own.ran, own.length(), "not off the CPU");
}

TEST_F(ThreadStates, AThreadThatSleepsIsBlocked) {
  BusyThread thread;
  Watch(thread);
  SKIP_WITHOUT_SWITCHES();
  uint64_t asleep = 0;
  const BusyThread::Own own = DoAndCollect(thread, [&] {
    for (int i = 0; i < 10; ++i) {
      UseCpu(2'000'000);
      const uint64_t from = base::MonotonicNow();
      SleepFor(15'000'000);
      asleep += base::MonotonicNow() - from;
    }
  });
  const StateLog::Sums sums = Within(thread.id(), own);
  EXPECT_TRUE(sums.exact);
  // Preempted between two looks at the clock, a sleep seems longer to the thread than it is.
  EXPECT_GE(sums.blocked, 10 * 15'000'000u);
  EXPECT_LE(sums.blocked, asleep);
  ExpectNear(sums.blocked + sums.preempted, own.length() - own.ran, own.length(), "off the CPU");
  ExpectNear(sums.ran, own.ran, own.length(), "ran");
  EXPECT_EQ(losses_.Get(base::Loss::kSwitchesLost), 0u);
}

TEST_F(ThreadStates, AThreadThatWaitsForALockIsBlocked) {
  BusyThread thread;
  Watch(thread);
  SKIP_WITHOUT_SWITCHES();
  std::mutex mutex;
  mutex.lock();
  uint64_t from = 0, to = 0;
  std::future<BusyThread::Own> done = thread.Start([&] {
    from = base::MonotonicNow();
    const std::lock_guard lock(mutex);
    to = base::MonotonicNow();
  });
  for (int i = 0; i < 4; ++i) {
    usleep(20'000);
    Collect();
  }
  // While it still waits, what there is so far has been told.
  const uint64_t so_far = log_.Of(thread.id()).blocked;
  mutex.unlock();
  const BusyThread::Own own = done.get();
  usleep(1000);
  Collect();
  EXPECT_GT(so_far, (to - from) / 2);
  const StateLog::Sums sums = Within(thread.id(), own);
  EXPECT_LE(sums.blocked, to - from);
  ExpectNear(sums.blocked + sums.preempted, own.length() - own.ran, own.length(), "off the CPU");
}

TEST_F(ThreadStates, AThreadStarvedByAnotherWaitsForACpu) {
  BusyThread thread, other;
  const int cpu = AnyCpu();
  if (!thread.Start([] {}).valid()) return;
  bool pinned = true;
  thread.Do([&] { pinned = PinTo(cpu) && pinned; });
  other.Do([&] { pinned = PinTo(cpu) && pinned; });
  if (!pinned) GTEST_SKIP() << "threads cannot be pinned here";
  Watch(thread);
  SKIP_WITHOUT_SWITCHES();
  std::future<BusyThread::Own> competitor = other.Start([] { UseCpu(150'000'000); });
  const BusyThread::Own own = DoAndCollect(thread, [] { UseCpu(100'000'000); });
  competitor.get();
  const StateLog::Sums sums = Within(thread.id(), own);
  EXPECT_TRUE(sums.exact);
  EXPECT_GT(own.length() - own.ran, 20'000'000u);  // it was starved
  ExpectNear(sums.preempted, own.length() - own.ran, own.length(), "preempted");
  ExpectNear(sums.waited, own.length() - own.ran, own.length(), "waited");
  ExpectNear(sums.ran, own.ran, own.length(), "ran");
}

// After a sleep the thread can run and gets no CPU: a wait that no switch tells, but schedstat does.
TEST_F(ThreadStates, AWaitAfterASleepIsInTheTotals) {
  BusyThread thread, other;
  const int cpu = AnyCpu();
  bool pinned = true;
  thread.Do([&] { pinned = PinTo(cpu) && pinned; });
  other.Do([&] { pinned = PinTo(cpu) && pinned; });
  if (!pinned) GTEST_SKIP() << "threads cannot be pinned here";
  Watch(thread);
  SKIP_WITHOUT_SWITCHES();
  // Batch threads do not preempt each other when they wake up.
  const sched_param none{};
  other.Do([&] { sched_setscheduler(0, SCHED_BATCH, &none); });
  thread.Do([&] { sched_setscheduler(0, SCHED_BATCH, &none); });
  Collect();
  log_.Clear();
  SchedTotals before, after;
  SchedStat stat;
  ASSERT_EQ(stat.Open(thread.id()), 0);
  ASSERT_EQ(stat.Read(thread.id(), before), SchedStat::Look::kRead);
  std::future<BusyThread::Own> competitor = other.Start([] { UseCpu(150'000'000); });
  DoAndCollect(thread, [&] {
    for (int i = 0; i < 20; ++i) SleepFor(3'000'000);
  });
  competitor.get();
  ASSERT_EQ(stat.Read(thread.id(), after), SchedStat::Look::kRead);
  const StateLog::Sums sums = log_.Of(thread.id());
  ExpectNear(sums.waited, after.waited_ns - before.waited_ns, sums.sampled, "waited");
}

// The kernel moves a thread at once that may no longer run where it is: each change of its only CPU is one migration.
TEST_F(ThreadStates, AThreadThatChangesCpusMigrates) {
  const int here = AnyCpu(), there = AnotherCpu();
  if (there < 0) GTEST_SKIP() << "there is but one CPU";
  BusyThread thread;
  bool pinned = true;
  thread.Do([&] { pinned = PinTo(here); });
  if (!pinned) GTEST_SKIP() << "threads cannot be pinned here";
  Watch(thread);
  SKIP_WITHOUT_SWITCHES();
  DoAndCollect(thread, [&] {
    for (int i = 0; i < 10; ++i) {
      UseCpu(2'000'000);
      PinTo(i % 2 == 0 ? there : here);
    }
  });
  const StateLog::Sums moving = log_.Of(thread.id());
  EXPECT_TRUE(moving.exact);
  EXPECT_EQ(moving.migrations, 10u);
  log_.Clear();
  DoAndCollect(thread, [] {
    for (int i = 0; i < 10; ++i) SleepFor(2'000'000);
  });
  EXPECT_EQ(log_.Of(thread.id()).migrations, 0u);
}

// A cgroup of version 1 or 2 with a quota of 1 ms in 20, which a busy machine too gives a thread; removed again with
// the test.
class Quota {
 public:
  Quota() {
    const std::string v1 = "/sys/fs/cgroup/cpu/slowtoken-test-" + std::to_string(getpid());
    const std::string v2 = "/sys/fs/cgroup/slowtoken-test-" + std::to_string(getpid());
    if (mkdir(v1.c_str(), 0755) == 0) {
      path_ = v1;
      works_ = Write("cpu.cfs_period_us", "20000") && Write("cpu.cfs_quota_us", "1000");
    } else if (mkdir(v2.c_str(), 0755) == 0) {
      path_ = v2;
      works_ = Write("cpu.max", "1000 20000");
    }
    works_ = works_ && Write("cgroup.procs", std::to_string(getpid()));
  }
  ~Quota() {
    if (path_.empty()) return;
    const std::string above = path_.substr(0, path_.rfind('/')) + "/cgroup.procs";
    WriteFile(above, std::to_string(getpid()));
    rmdir(path_.c_str());
  }
  bool works() const { return works_; }
  // What the cgroup's own file says now.
  uint64_t ThrottledNs() const {
    std::ifstream file(path_ + "/cpu.stat");
    uint64_t value = 0;
    for (std::string name; file >> name >> value;) {
      if (name == "throttled_time") return value;
      if (name == "throttled_usec") return value * 1000;
    }
    return 0;
  }

 private:
  static bool WriteFile(const std::string& path, const std::string& text) {
    const int fd = open(path.c_str(), O_WRONLY);
    const bool done = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (fd >= 0) close(fd);
    return done;
  }
  bool Write(const char* file, const std::string& text) const { return WriteFile(path_ + "/" + file, text); }

  std::string path_;
  bool works_ = false;
};

TEST_F(ThreadStates, AThreadThrottledByItsCgroupWaitsAndTheProcessSaysWhy) {
  BusyThread thread;
  BusyThread::Own own;
  uint64_t told = 0, throttled = 0;
  {
    const Quota quota;
    if (!quota.works()) GTEST_SKIP() << "no cgroup can be made here";
    const uint64_t before = quota.ThrottledNs();
    Watch(thread);
    SKIP_WITHOUT_SWITCHES();
    own = DoAndCollect(thread, [] { UseCpu(10'000'000); });
    usleep(150'000);
    Collect();
    throttled = quota.ThrottledNs() - before;
    usleep(150'000);
    Collect();
    for (const record::HostSample& e : log_.host) told += e.throttled_ns;
  }
  const StateLog::Sums sums = Within(thread.id(), own);
  ExpectNear(sums.preempted, own.length() - own.ran, own.length(), "preempted");
  EXPECT_GT(throttled, 20'000'000u);
  EXPECT_GT(told, throttled / 2);  // what came before the first look, and after the last, is not in it
}

}  // namespace
}  // namespace slowtoken::sched
