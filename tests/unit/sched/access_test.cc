#include "sched/access.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <thread>

#include "capture/seccomp_filter.h"
#include "sched_fixture.h"

namespace slowtoken::sched {
namespace {

// On the calling thread, for good: everything is allowed.
bool InstallFilter() {
  sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog program = {1, &allow};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class AccessTest : public SchedTest {
 protected:
  // Rounds on a thread under a filter: what the status says then.
  void CollectUnderAFilter(const Options& options) {
    Make(options);
    BusyThread thread;
    Active(thread.id());
    std::thread worker([&] {
      filtered_ = InstallFilter();
      under_filter_ = capture::UnderSeccompFilter();
      Collect();
      thread.Spin(1'000'000);
      Collect();
    });
    worker.join();
  }
  bool filtered_ = false, under_filter_ = false;
};

TEST_F(AccessTest, UnderASeccompFilterTheKernelIsNotAsked) {
  CollectUnderAFilter({});
  if (!filtered_) GTEST_SKIP() << "no seccomp here";
  EXPECT_TRUE(under_filter_);
  ASSERT_EQ(log_.statuses.size(), 1u);
  EXPECT_EQ(log_.statuses[0].state, record::SourceState::kRefused);
  EXPECT_THAT(Detail(0), testing::HasSubstr("a seccomp filter may kill"));
  ASSERT_FALSE(log_.samples.empty());
  EXPECT_FALSE(log_.samples.back().exact);
}

TEST_F(AccessTest, UnlessItIsToldTo) {
  CollectUnderAFilter({.under_seccomp = true});
  if (!filtered_) GTEST_SKIP() << "no seccomp here";
  ASSERT_EQ(log_.statuses.size(), 1u);
  EXPECT_THAT(Detail(0), testing::Not(testing::HasSubstr("seccomp")));
}

TEST(DescriptorShare, IsASmallPartOfTheLimit) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const auto share = [&](rlim_t limit) {
    const rlimit now{limit, before.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
    return DescriptorShare(16);
  };
  EXPECT_EQ(share(1024), 16u);
  EXPECT_EQ(share(256), 4u);
  EXPECT_EQ(share(20), 0u);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_LE(DescriptorShare(16), 16u);
}

}  // namespace
}  // namespace slowtoken::sched
