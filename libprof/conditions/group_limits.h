// The limits that control groups set on this process: the least of its group and all above it, as far as they can be
// seen from inside. Worker thread; two small reads a group.
#pragma once

#include <cstdint>
#include <string_view>

namespace slowtoken::conditions {

struct GroupLimits {
  int version = 0;            // 1, 2; 0: no control groups here
  uint64_t milli_cpus = 0;    // CPU time a second, in thousandths of a CPU; 0: no limit
  uint64_t memory_bytes = 0;  // 0: no limit
};

// `groups` is the text of /proc/self/cgroup; `root` stands before every path: "" but in tests.
GroupLimits ReadGroupLimits(const char* root, std::string_view groups);

}  // namespace slowtoken::conditions
