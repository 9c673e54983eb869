// The host, its container and its limits, read below a root of our own.
#include "conditions/host_facts.h"

#include "conditions/group_limits.h"
#include "told.h"

namespace slowtoken::conditions {
namespace {

using testing::Told;

class HostFacts : public ::testing::Test {
 protected:
  void Tell() {
    capture::CollectContext context = told_.Context();
    teller_.Begin(context);
    TellHostFacts(teller_, root_.path().c_str(), {1, 2});
  }

  reader::TempDir root_;
  Told told_;
  capture::ConditionTeller teller_;
};

TEST_F(HostFacts, MachineAndDriver) {
  root_.Write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  root_.Write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  root_.Write("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9654 96-Core Processor\nflags : x\n");
  root_.Write("sys/devices/system/cpu/online", "0-191\n");
  root_.Write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-15,96-111\n");
  root_.Write("proc/meminfo", "MemTotal:       1583820000 kB\nMemFree: 1 kB\n");
  root_.Write(
      "proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\nGCC version:\n");
  Tell();
  EXPECT_EQ(told_["host.kernel"], "6.1.0-18-amd64");
  EXPECT_EQ(told_["host.os"], "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(told_["host.cpu"], "AMD EPYC 9654 96-Core Processor");
  EXPECT_EQ(told_["host.cpus"], "0-191");
  EXPECT_EQ(told_["host.cpus_allowed"], "0-15,96-111");
  EXPECT_EQ(told_["host.memory"], "1583820000 kB");
  EXPECT_EQ(told_["driver.version"], "550.54.15");
}

TEST_F(HostFacts, TheOpenKernelModuleHasItsVersionElsewhereInTheLine) {
  root_.Write("proc/driver/nvidia/version",
              "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n");
  Tell();
  EXPECT_EQ(told_["driver.version"], "580.65.06");
}

TEST_F(HostFacts, WhatIsNotThereIsNotTold) {
  Tell();
  EXPECT_EQ(told_.values.size(), 2u) << "libc, and that no container is seen";
  EXPECT_NE(told_["host.libc"], "");
  EXPECT_EQ(told_["container.kind"], "none seen");
}

TEST_F(HostFacts, AContainersIdIsAPseudonym) {
  const std::string id(64, 'a');
  root_.Write("proc/self/cgroup", "0::/kubepods.slice/cri-containerd-" + id + ".scope\n");
  Tell();
  EXPECT_EQ(told_["container.kind"], "kubernetes");
  EXPECT_EQ(told_["container.id"].size(), 16u);
  EXPECT_EQ(told_["container.id"].find("aaaa"), std::string::npos);
  EXPECT_EQ(told_["cgroup.version"], "2");
  for (const auto& [name, value] : told_.values) EXPECT_EQ(value.find(id), std::string::npos) << name;
}

TEST_F(HostFacts, KindsOfContainers) {
  root_.Write(".dockerenv", "");
  Tell();
  EXPECT_EQ(told_["container.kind"], "docker");
  root_.Write("run/.containerenv", "");
  Tell();
  EXPECT_EQ(told_["container.kind"], "podman") << "what is new is told";
}

TEST_F(HostFacts, TheLeastLimitAboveCountsInVersion2) {
  const std::string groups = "0::/a/b\n";
  root_.Write("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  root_.Write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  root_.Write("sys/fs/cgroup/a/b/memory.max", "8589934592\n");
  root_.Write("sys/fs/cgroup/memory.max", "max\n");
  root_.Write("proc/self/cgroup", groups);
  Tell();
  EXPECT_EQ(told_["cgroup.cpus"], "2.500");
  EXPECT_EQ(told_["cgroup.memory_bytes"], "8589934592");
}

// In a container that sees its own group as the mount, the path of /proc/self/cgroup leads nowhere.
TEST_F(HostFacts, AGroupThatCannotBeSeenLeavesTheMountItself) {
  root_.Write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  const GroupLimits limits = ReadGroupLimits(root_.path().c_str(), "0::/../outside\n");
  EXPECT_EQ(limits.milli_cpus, 500u);
  EXPECT_EQ(limits.memory_bytes, 0u);
}

TEST_F(HostFacts, Version1HasAFolderForEachController) {
  root_.Write("sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us", "150000\n");
  root_.Write("sys/fs/cgroup/cpu/docker/x/cpu.cfs_period_us", "100000\n");
  root_.Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root_.Write("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "1073741824\n");
  root_.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const GroupLimits limits =
      ReadGroupLimits(root_.path().c_str(), "4:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n0::/\n");
  EXPECT_EQ(limits.version, 1);
  EXPECT_EQ(limits.milli_cpus, 1500u);
  EXPECT_EQ(limits.memory_bytes, 1073741824u);
}

TEST_F(HostFacts, StrangeTextIsNoLimit) {
  root_.Write("sys/fs/cgroup/cpu.max", "100000 0\n");
  root_.Write("sys/fs/cgroup/memory.max", "lots\n");
  for (const char* groups : {"", "\n", ":", "0:", "0::", "x\n0::/", ":::"}) {
    const GroupLimits limits = ReadGroupLimits(root_.path().c_str(), groups);
    EXPECT_EQ(limits.milli_cpus, 0u) << groups;
    EXPECT_EQ(limits.memory_bytes, 0u) << groups;
  }
  EXPECT_EQ(ReadGroupLimits(root_.path().c_str(), "0::/" + std::string(600, 'g')).memory_bytes, 0u);
}

}  // namespace
}  // namespace slowtoken::conditions
