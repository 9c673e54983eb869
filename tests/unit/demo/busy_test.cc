#include "scenario/busy.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

namespace slowtoken::demo {
namespace {

constexpr TimeNs kLength = 20'000'000;

TimeNs OwnCpuNs() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<TimeNs>(used.tv_sec) * 1'000'000'000 + used.tv_nsec;
}

// How much the thread ran while `work` took at least kLength. Upper bounds would be the machine's.
template <typename Work>
TimeNs CpuOf(Work work) {
  const TimeNs before = OwnCpuNs();
  const Interval time = work(kLength);
  EXPECT_GE(time.end - time.start, kLength);
  return OwnCpuNs() - before;
}

TEST(Busy, ComputingIsRealWork) {
  EXPECT_GT(CpuOf(Compute), 0);
  EXPECT_GT(CpuOf(SampleFromLargeVocabulary), 0);
}

TEST(Busy, WaitingForALockIsNoWork) {
  rusage before, after;
  getrusage(RUSAGE_THREAD, &before);
  EXPECT_LT(CpuOf([](TimeNs length) { return WaitForLock(2 * length); }), kLength);
  getrusage(RUSAGE_THREAD, &after);
  EXPECT_GT(after.ru_nvcsw, before.ru_nvcsw);  // it slept
}

TEST(Busy, TheStarvedThreadSharesItsCpuWithManyAndIsFreeAgainAfterwards) {
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  rusage old_usage, new_usage;
  getrusage(RUSAGE_THREAD, &old_usage);
  const TimeNs ran = CpuOf([](TimeNs length) { return ComputeStarved(5 * length); });
  getrusage(RUSAGE_THREAD, &new_usage);
  EXPECT_LT(ran, 5 * kLength / 2);
  EXPECT_GT(new_usage.ru_nivcsw, old_usage.ru_nivcsw);  // it was pushed off its CPU
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Busy, ThrottlingTakesTheTimeOrSaysThatItCannot) {
  const Interval time = ComputeThrottled(kLength);
  EXPECT_TRUE(time.end == 0 || time.end - time.start >= kLength);
}

}  // namespace
}  // namespace slowtoken::demo
