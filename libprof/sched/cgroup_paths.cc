#include "sched/cgroup_paths.h"

#include <charconv>
#include <cstring>

#include "base/small_file.h"

namespace slowtoken::sched {
namespace {

using base::Take;

// Whether `list` (a,b,c) has `name`.
bool Has(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    if (Take(list, ',') == name) return true;
  }
  return false;
}

// The process's cgroup in the hierarchy with the controller, or in version 2's for an empty name.
// "id:controllers:path".
bool OwnCgroup(std::string_view cgroup, std::string_view controller, std::string_view& path) {
  while (!cgroup.empty()) {
    std::string_view line = Take(cgroup, '\n');
    const std::string_view id = Take(line, ':'), controllers = Take(line, ':');
    const bool this_one = controller.empty() ? id == "0" && controllers.empty() : Has(controllers, controller);
    if (!this_one) continue;
    path = line;
    return true;
  }
  return false;
}

// Which part of the hierarchy is mounted where. "id parent major:minor root point options [tags] - type source
// options".
bool MountOf(std::string_view mountinfo, std::string_view controller, std::string_view& root, std::string_view& point) {
  while (!mountinfo.empty()) {
    std::string_view line = Take(mountinfo, '\n');
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view after = line;
    after.remove_prefix(dash + 3);
    const std::string_view type = Take(after, ' ');
    Take(after, ' ');
    const bool this_one = controller.empty() ? type == "cgroup2" : type == "cgroup" && Has(after, controller);
    if (!this_one) continue;
    for (int field = 0; field < 3; ++field) Take(line, ' ');
    root = Take(line, ' ');
    point = Take(line, ' ');
    return true;
  }
  return false;
}

bool Write(std::array<char, CgroupPaths::kLongest>& out, std::string_view point, std::string_view path) {
  constexpr std::string_view kFile = "/cpu.stat";
  if (point.size() + path.size() + kFile.size() >= out.size()) return false;
  // Not memcpy: an empty view may have no address.
  char* at = out.data();
  for (const std::string_view part : {point, path, kFile}) at += part.copy(at, part.size());
  return true;
}

}  // namespace

CgroupPaths FindCpuStat(std::string_view cgroup, std::string_view mountinfo) {
  CgroupPaths found;
  std::string_view path, root, point;
  const std::string_view controller = OwnCgroup(cgroup, "cpu", path) ? "cpu" : "";
  if (controller.empty() && !OwnCgroup(cgroup, "", path)) return found;
  if (!MountOf(mountinfo, controller, root, point)) return found;
  // What is above the mounted part cannot be seen; a path outside of it (/../…) neither.
  if (root != "/") {
    if (path.substr(0, root.size()) != root) return found;
    path.remove_prefix(root.size());
  }
  if (path.find("..") != std::string_view::npos) return found;
  if (path == "/") path = {};
  for (;;) {
    if (Write(found.cpu_stat[found.count], point, path)) ++found.count;
    if (path.empty() || found.count == found.cpu_stat.size()) return found;
    path = path.substr(0, path.rfind('/'));
  }
}

bool ParseThrottled(std::string_view cpu_stat, uint64_t& throttled_ns) {
  while (!cpu_stat.empty()) {
    std::string_view line = Take(cpu_stat, '\n');
    const std::string_view name = Take(line, ' ');
    const bool us = name == "throttled_usec";
    if (!us && name != "throttled_time") continue;
    uint64_t value = 0;
    if (std::from_chars(line.data(), line.data() + line.size(), value).ec != std::errc()) return false;
    throttled_ns = us ? value * 1000 : value;
    return true;
  }
  return false;
}

}  // namespace slowtoken::sched
