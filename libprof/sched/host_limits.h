// HostLimits: what the host takes from the whole process: time its cgroups were throttled, pages that had to come from
// disk. Worker thread. One fstat and one pread a file and look: /proc/self/stat, and cpu.stat of up to four cgroups.
#pragma once

#include <array>
#include <span>

#include "base/kept_descriptor.h"
#include "record/thread_states.h"
#include "sched/cgroup_paths.h"

namespace slowtoken::sched {

// Field 12 of /proc/self/stat, behind the program's name in brackets. False if the text is something else.
bool ParseMajorFaults(std::string_view stat, uint64_t& faults);

class HostLimits {
 public:
  static constexpr size_t kScratchBytes = 36u << 10;

  // Opens what there is; counts from `now` on. `scratch`: kScratchBytes, used during the call.
  void Begin(record::TimeNs now, std::span<char> scratch);
  // For tests: these files in place of the process's own. Views live as long as this.
  void BeginWith(record::TimeNs now, const CgroupPaths& paths);

  // What was taken since the last look. False: nothing, or nothing can be seen.
  bool Look(record::TimeNs now, record::HostSample& sample);

  // Also in a forked child.
  void Close();

 private:
  // A counter in a file that stays open; the path is kept for the day the host closes it.
  struct Counter {
    base::KeptDescriptor file;
    std::array<char, CgroupPaths::kLongest> path{};
    uint64_t value = 0;
  };

  using Parse = bool (*)(std::string_view, uint64_t&);
  // What the counter grew by since the last time; 0 where it cannot be read.
  static uint64_t Grown(Counter& counter, Parse parse);

  std::array<Counter, CgroupPaths::kMost> throttled_;
  size_t throttled_count_ = 0;
  Counter faults_;
  record::TimeNs since_ = 0;
};

}  // namespace slowtoken::sched
