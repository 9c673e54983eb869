// ComputeThrottled: a cgroup with a small CPU quota, for a moment.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "scenario/busy.h"

namespace slowtoken::demo {
namespace {

constexpr const char* kRoot = "/sys/fs/cgroup/cpu";

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return file.flush().good();
}

// The process's cgroup of the cpu controller, as a path; empty if there is none.
std::string OwnGroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    if (absl::StrContains(absl::StrCat(",", line.substr(first + 1, second - first - 1), ","), ",cpu,"))
      return absl::StrCat(kRoot, line.substr(second + 1));
  }
  return {};
}

}  // namespace

Interval ComputeThrottled(TimeNs length) {
  const std::string before = OwnGroup();
  if (before.empty()) return {};
  const std::string group = absl::StrCat(before, "/slowtoken-demo-", getpid());
  if (mkdir(group.c_str(), 0755) != 0) return {};
  Interval time;
  const std::string self = absl::StrCat(getpid());
  if (Write(group + "/cpu.cfs_period_us", "20000") && Write(group + "/cpu.cfs_quota_us", "1000") &&
      Write(group + "/cgroup.procs", self)) {
    time = Compute(length);
    Write(before + "/cgroup.procs", self);
    time.end = NowNs();
  }
  rmdir(group.c_str());
  return time;
}

}  // namespace slowtoken::demo
