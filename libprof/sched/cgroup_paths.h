// Where the cpu.stat files of this process's cgroup and of those above it are, found in the texts of /proc/self/cgroup
// and /proc/self/mountinfo (cgroups(7), proc_pid_mountinfo(5)). Pure; once a process.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace slowtoken::sched {

struct CgroupPaths {
  static constexpr size_t kMost = 4;
  static constexpr size_t kLongest = 512;

  // From the process's own cgroup upwards, as far as they can be seen. With the controller for CPU quotas in version 1,
  // that hierarchy's, else version 2's.
  std::array<std::array<char, kLongest>, kMost> cpu_stat{};
  size_t count = 0;
};

CgroupPaths FindCpuStat(std::string_view cgroup, std::string_view mountinfo);

// What a cpu.stat says its cgroup was kept from the CPU, in ns, summed over CPUs: throttled_usec (version 2) or
// throttled_time (version 1). False where it says nothing: no quota can be set there.
bool ParseThrottled(std::string_view cpu_stat, uint64_t& throttled_ns);

}  // namespace slowtoken::sched
