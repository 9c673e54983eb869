#include "reader/process_info.h"

#include <unistd.h>

#include <fstream>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace slowtoken::reader {
namespace {

std::string BootId() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

// Field 22 of the stat of `process`, a folder of /proc; 0 if it is not there or has ended. The program's name (field 2)
// may hold spaces and brackets: count from the last ')'.
uint64_t StartTicks(const std::string& process) {
  std::ifstream file(process + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  const std::vector<std::string> fields = absl::StrSplit(stat.substr(name_end + 1), ' ', absl::SkipEmpty());
  constexpr size_t kState = 0, kStart = 19;  // fields 3 and 22
  uint64_t ticks = 0;
  if (fields.size() <= kStart || fields[kState] == "Z" || !absl::SimpleAtoi(fields[kStart], &ticks)) return 0;
  return ticks;
}

}  // namespace

bool ProcessInfo::HasInsideDamage() const { return inside_damage_count != 0; }

bool ProcessInfo::IsRunning() const {
  return pid_start_ticks != 0 && BootId() == boot_id && StartTicksOf(pid) == pid_start_ticks;
}

uint64_t StartTicksOf(uint64_t pid) { return StartTicks(absl::StrCat("/proc/", pid)); }

ProcessInfo ThisProcess() {
  ProcessInfo info;
  info.pid = static_cast<uint64_t>(getpid());
  info.pid_start_ticks = StartTicks("/proc/self");
  info.boot_id = BootId();
  return info;
}

}  // namespace slowtoken::reader
