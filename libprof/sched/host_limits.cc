#include "sched/host_limits.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/small_file.h"

namespace slowtoken::sched {
bool ParseMajorFaults(std::string_view stat, uint64_t& faults) {
  size_t at = stat.rfind(')');
  for (int field = 2; field < 12 && at != std::string_view::npos; ++field) at = stat.find(' ', at + 1);
  if (at == std::string_view::npos) return false;
  return std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), faults).ec == std::errc();
}

void HostLimits::Begin(record::TimeNs now, std::span<char> scratch) {
  constexpr size_t kCgroupBytes = 4096;
  const std::span<char> mounts = scratch.subspan(kCgroupBytes);
  const size_t cgroup_size = base::ReadSmallFile("/proc/self/cgroup", scratch.data(), kCgroupBytes);
  const size_t mount_size = base::ReadSmallFile("/proc/self/mountinfo", mounts.data(), mounts.size());
  BeginWith(now, FindCpuStat({scratch.data(), cgroup_size}, {mounts.data(), mount_size}));
}

void HostLimits::BeginWith(record::TimeNs now, const CgroupPaths& paths) {
  Close();
  since_ = now;
  memcpy(faults_.path.data(), "/proc/self/stat", sizeof "/proc/self/stat");
  Grown(faults_, &ParseMajorFaults);
  // Where a cgroup has no such line no quota can be set; it keeps no descriptor.
  for (size_t i = 0; i < paths.count; ++i) {
    Counter& counter = throttled_[throttled_count_];
    counter.path = paths.cpu_stat[i];
    counter.value = UINT64_MAX;
    Grown(counter, &ParseThrottled);
    if (counter.value != UINT64_MAX) {
      ++throttled_count_;
    } else {
      counter.file.Close();
    }
  }
}

uint64_t HostLimits::Grown(Counter& counter, Parse parse) {
  if (counter.path[0] == 0) return 0;  // not begun
  if (!counter.file.Ours() && counter.file.Open(counter.path.data(), O_RDONLY) != 0) return 0;
  char text[1024];
  const ssize_t n = pread(counter.file.get(), text, sizeof text, 0);
  uint64_t now = 0;
  if (n <= 0 || !parse({text, static_cast<size_t>(n)}, now)) return 0;
  const uint64_t grown = now > counter.value ? now - counter.value : 0;
  counter.value = now;
  return grown;
}

// A process throttled by two of its cgroups at once is counted once.
bool HostLimits::Look(record::TimeNs now, record::HostSample& sample) {
  sample = {.start = since_, .end = now, .process = 0};
  since_ = now;
  sample.major_faults = Grown(faults_, &ParseMajorFaults);
  for (size_t i = 0; i < throttled_count_; ++i) {
    sample.throttled_ns = std::max(sample.throttled_ns, Grown(throttled_[i], &ParseThrottled));
  }
  return sample.throttled_ns != 0 || sample.major_faults != 0;
}

void HostLimits::Close() {
  for (Counter& counter : throttled_) counter.file.Close();
  faults_.file.Close();
  throttled_count_ = 0;
}

}  // namespace slowtoken::sched
