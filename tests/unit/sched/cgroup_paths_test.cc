#include "sched/cgroup_paths.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace slowtoken::sched {
namespace {

using ::testing::ElementsAre;

constexpr const char* kV2Mounts =
    "22 28 0:21 / /proc rw,relatime shared:12 - proc proc rw\n"
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kV1Mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

std::vector<std::string> Find(std::string_view cgroup, std::string_view mountinfo) {
  const CgroupPaths paths = FindCpuStat(cgroup, mountinfo);
  std::vector<std::string> all;
  for (size_t i = 0; i < paths.count; ++i) all.emplace_back(paths.cpu_stat[i].data());
  return all;
}

TEST(CgroupPaths, Version2FromTheOwnCgroupUpwards) {
  EXPECT_THAT(Find("0::/kubepods/pod1/c1\n", kV2Mounts),
              ElementsAre("/sys/fs/cgroup/kubepods/pod1/c1/cpu.stat", "/sys/fs/cgroup/kubepods/pod1/cpu.stat",
                          "/sys/fs/cgroup/kubepods/cpu.stat", "/sys/fs/cgroup/cpu.stat"));
}

TEST(CgroupPaths, InACgroupNamespaceTheRootIsTheContainers) {
  EXPECT_THAT(Find("0::/\n", kV2Mounts), ElementsAre("/sys/fs/cgroup/cpu.stat"));
}

TEST(CgroupPaths, DeepOnesAreCutAtTheTop) {
  EXPECT_EQ(Find("0::/a/b/c/d/e/f\n", kV2Mounts).size(), CgroupPaths::kMost);
  EXPECT_EQ(Find("0::/a/b/c/d/e/f\n", kV2Mounts)[0], "/sys/fs/cgroup/a/b/c/d/e/f/cpu.stat");
}

TEST(CgroupPaths, Version1WhereItHasTheCpuController) {
  EXPECT_THAT(Find("9:cpuset:/x\n2:cpu,cpuacct:/docker/abc\n0::/\n", kV1Mounts),
              ElementsAre("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.stat",
                          "/sys/fs/cgroup/cpu,cpuacct/docker/cpu.stat", "/sys/fs/cgroup/cpu,cpuacct/cpu.stat"));
}

// Docker without a cgroup namespace: the container's part is mounted, paths are the host's.
TEST(CgroupPaths, APartThatIsMountedIsTakenOffThePath) {
  const std::string mounts =
      "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu ro,nosuid master:11 - cgroup cgroup rw,cpu,cpuacct\n";
  EXPECT_THAT(Find("2:cpu,cpuacct:/docker/abc\n", mounts), ElementsAre("/sys/fs/cgroup/cpu/cpu.stat"));
  EXPECT_THAT(Find("2:cpu,cpuacct:/docker/abc/sub\n", mounts),
              ElementsAre("/sys/fs/cgroup/cpu/sub/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat"));
  EXPECT_THAT(Find("2:cpu,cpuacct:/elsewhere\n", mounts), ElementsAre());
}

TEST(CgroupPaths, WhatCannotBeSeenIsNotLookedFor) {
  EXPECT_THAT(Find("0::/../other\n", kV2Mounts), ElementsAre());
  EXPECT_THAT(Find("", kV2Mounts), ElementsAre());
  EXPECT_THAT(Find("0::/a\n", ""), ElementsAre());
  EXPECT_THAT(Find("0::/a\n", "30 24 0:26 / /sys/fs/cgroup rw cgroup2"), ElementsAre());
  EXPECT_THAT(Find("0::/" + std::string(600, 'x') + "\n", kV2Mounts), ElementsAre("/sys/fs/cgroup/cpu.stat"));
}

TEST(CgroupPaths, ThrottledTimeOfBothVersions) {
  uint64_t ns = 0;
  EXPECT_TRUE(ParseThrottled("usage_usec 5\nnr_throttled 3\nthrottled_usec 1234\nnr_bursts 0\n", ns));
  EXPECT_EQ(ns, 1'234'000u);
  EXPECT_TRUE(ParseThrottled("nr_periods 1\nnr_throttled 1\nthrottled_time 98765\n", ns));
  EXPECT_EQ(ns, 98'765u);
  EXPECT_FALSE(ParseThrottled("usage_usec 5\nuser_usec 3\n", ns));
  EXPECT_FALSE(ParseThrottled("throttled_usec many\n", ns));
  EXPECT_FALSE(ParseThrottled("", ns));
}

}  // namespace
}  // namespace slowtoken::sched
