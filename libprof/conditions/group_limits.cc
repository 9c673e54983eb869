#include "conditions/group_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/small_file.h"

namespace slowtoken::conditions {
namespace {

constexpr uint64_t kNoLimit = ~uint64_t{0};
constexpr uint64_t kNoLimitInV1 = 1ull << 60;  // version 1 writes the largest number of pages for it

// The number a file of a group begins with; kNoLimit for "max", -1 and what cannot be read. `rest`, if given, is set to
// what follows it.
uint64_t ReadLimit(const char* folder, const char* name, char (&text)[64], char** rest = nullptr) {
  char path[512];
  const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  if (n < 0 || static_cast<size_t>(n) >= sizeof path || base::ReadSmallFile(path, text, sizeof text) == 0)
    return kNoLimit;
  if (text[0] < '0' || text[0] > '9') return kNoLimit;
  return strtoull(text, rest, 10);
}

void TakeCpu(GroupLimits& limits, uint64_t quota, uint64_t period) {
  if (quota == kNoLimit || period == kNoLimit || period == 0) return;
  const uint64_t milli = quota * 1000 / period;
  if (milli != 0 && (limits.milli_cpus == 0 || milli < limits.milli_cpus)) limits.milli_cpus = milli;
}

void TakeMemory(GroupLimits& limits, uint64_t bytes) {
  if (bytes >= kNoLimitInV1) return;
  if (limits.memory_bytes == 0 || bytes < limits.memory_bytes) limits.memory_bytes = bytes;
}

void TakeVersion2(GroupLimits& limits, const char* folder) {
  char text[64];
  char* rest = text;
  const uint64_t quota = ReadLimit(folder, "cpu.max", text, &rest);
  if (quota != kNoLimit) TakeCpu(limits, quota, strtoull(rest, nullptr, 10));
  TakeMemory(limits, ReadLimit(folder, "memory.max", text));
}

void TakeCpuVersion1(GroupLimits& limits, const char* folder) {
  char text[64];
  const uint64_t quota = ReadLimit(folder, "cpu.cfs_quota_us", text);
  TakeCpu(limits, quota, ReadLimit(folder, "cpu.cfs_period_us", text));
}

void TakeMemoryVersion1(GroupLimits& limits, const char* folder) {
  char text[64];
  TakeMemory(limits, ReadLimit(folder, "memory.limit_in_bytes", text));
}

// The group's folder and each one above it, up to the mount. In a container the group's own path may not be visible
// below the mount: then only the mount is.
void Walk(GroupLimits& limits, const char* root, const char* mount, std::string_view group,
          void (*take)(GroupLimits&, const char*)) {
  char folder[512];
  const int base = snprintf(folder, sizeof folder, "%s%s", root, mount);
  if (base < 0 || static_cast<size_t>(base) + group.size() >= sizeof folder) return;
  memcpy(folder + base, group.data(), group.size());
  folder[static_cast<size_t>(base) + group.size()] = 0;
  for (size_t size = static_cast<size_t>(base) + group.size();; --size) {
    const bool at_part = size == static_cast<size_t>(base) || folder[size] == '/' || folder[size] == 0;
    folder[size] = 0;
    if (at_part) take(limits, folder);
    if (size == static_cast<size_t>(base)) return;
  }
}

// True if `list`, separated by commas, has `word`.
bool Lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (base::Take(list, ',') == word) return true;
  }
  return false;
}

}  // namespace

GroupLimits ReadGroupLimits(const char* root, std::string_view groups) {
  GroupLimits limits;
  while (!groups.empty()) {
    const std::string_view line = base::Part(groups, 0, groups.find('\n'));
    groups.remove_prefix(line.size() < groups.size() ? line.size() + 1 : groups.size());
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = base::Part(line, first + 1, second - first - 1);
    const std::string_view group = base::Trimmed(base::Part(line, second + 1));
    if (controllers.empty()) {
      if (limits.version == 0) limits.version = 2;
      Walk(limits, root, "/sys/fs/cgroup", group, &TakeVersion2);
      continue;
    }
    limits.version = 1;
    if (Lists(controllers, "cpu")) Walk(limits, root, "/sys/fs/cgroup/cpu", group, &TakeCpuVersion1);
    if (Lists(controllers, "memory")) Walk(limits, root, "/sys/fs/cgroup/memory", group, &TakeMemoryVersion1);
  }
  return limits;
}

}  // namespace slowtoken::conditions
