#include "sched/sched_stat.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "busy_thread.h"

namespace slowtoken::sched {
namespace {

TEST(SchedStat, TheTextHasTwoTotals) {
  SchedTotals totals;
  EXPECT_TRUE(ParseSchedTotals("123456 789 42\n", totals));
  EXPECT_EQ(totals, (SchedTotals{123456, 789}));
  EXPECT_FALSE(ParseSchedTotals("", totals));
  EXPECT_FALSE(ParseSchedTotals("12", totals));
  EXPECT_FALSE(ParseSchedTotals("12 x", totals));
  EXPECT_FALSE(ParseSchedTotals("nothing 1 2", totals));
}

TEST(SchedStat, ReadsTheThreadsOwnTotals) {
  BusyThread busy;
  SchedStat stat;
  SchedTotals before, after;
  ASSERT_EQ(stat.Open(busy.id()), 0);
  ASSERT_EQ(stat.Read(busy.id(), before), SchedStat::Look::kRead);
  const uint64_t used = busy.Spin(30'000'000);
  ASSERT_EQ(stat.Read(busy.id(), after), SchedStat::Look::kRead);
  EXPECT_GE(after.ran_ns - before.ran_ns, used);  // it waits for its next order now: up to date
  EXPECT_LT(after.ran_ns - before.ran_ns, used + 20'000'000);
}

TEST(SchedStat, AThreadThatHasEndedIsGone) {
  SchedStat stat;
  SchedTotals totals;
  record::ThreadId id = 0;
  {
    BusyThread busy;
    id = busy.id();
    ASSERT_EQ(stat.Open(id), 0);
    ASSERT_EQ(stat.Read(id, totals), SchedStat::Look::kRead);
  }
  EXPECT_EQ(stat.Read(id, totals), SchedStat::Look::kGone);
  SchedStat late;
  EXPECT_EQ(late.Open(id), ENOENT);
}

// The host closes our descriptor and opens a file of its own under its number: that one is neither read nor closed.
TEST(SchedStat, ADescriptorTakenByTheHostIsLeftAlone) {
  BusyThread busy;
  SchedStat stat;
  ASSERT_EQ(stat.Open(busy.id()), 0);
  char path[] = "/tmp/slowtoken-sched-XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  unlink(path);
  ASSERT_EQ(write(file, "1 1 1\n", 6), 6);
  int taken = -1;
  for (int fd = 1023; fd >= 900 && taken < 0; --fd) {  // ours is a high one
    if (fd != file && fcntl(fd, F_GETFD) >= 0) taken = dup2(file, fd);
  }
  ASSERT_GE(taken, 0);
  busy.Spin(20'000'000);
  SchedTotals totals;
  ASSERT_EQ(stat.Read(busy.id(), totals), SchedStat::Look::kRead);
  EXPECT_GT(totals.ran_ns, 1'000'000u);
  EXPECT_GE(fcntl(taken, F_GETFD), 0);
  stat.Close();
  EXPECT_GE(fcntl(taken, F_GETFD), 0);
  close(taken);
  close(file);
}

}  // namespace
}  // namespace slowtoken::sched
