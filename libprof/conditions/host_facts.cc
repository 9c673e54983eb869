#include "conditions/host_facts.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/small_file.h"
#include "conditions/group_limits.h"

namespace slowtoken::conditions {
namespace {

// Files below the root.
struct Root {
  const char* root;

  std::string_view Read(const char* path, char* out, size_t capacity) const {
    char whole[512];
    const int n = snprintf(whole, sizeof whole, "%s%s", root, path);
    if (n < 0 || static_cast<size_t>(n) >= sizeof whole) return {};
    return {out, base::ReadSmallFile(whole, out, capacity)};
  }
  bool Has(const char* path) const {
    char whole[512];
    struct stat info;
    const int n = snprintf(whole, sizeof whole, "%s%s", root, path);
    return n > 0 && static_cast<size_t>(n) < sizeof whole && stat(whole, &info) == 0;
  }
};

void TellMachine(capture::ConditionTeller& teller, const Root& root) {
  char text[4096];
  teller.Tell("host.kernel", base::Trimmed(root.Read("/proc/sys/kernel/osrelease", text, sizeof text)));
  teller.Tell("host.os", base::LineAfter(root.Read("/etc/os-release", text, sizeof text), "PRETTY_NAME="));
  teller.Tell("host.libc", gnu_get_libc_version());
  teller.Tell("host.cpu", base::LineAfter(root.Read("/proc/cpuinfo", text, sizeof text), "model name"));
  teller.Tell("host.cpus", base::Trimmed(root.Read("/sys/devices/system/cpu/online", text, sizeof text)));
  teller.Tell("host.cpus_allowed",
              base::LineAfter(root.Read("/proc/self/status", text, sizeof text), "Cpus_allowed_list:"));
  teller.Tell("host.memory", base::LineAfter(root.Read("/proc/meminfo", text, sizeof text), "MemTotal:"));
  teller.Tell("host.numa_nodes", base::Trimmed(root.Read("/sys/devices/system/node/online", text, sizeof text)));
  teller.Tell(
      "host.clocksource",
      base::Trimmed(root.Read("/sys/devices/system/clocksource/clocksource0/current_clocksource", text, sizeof text)));
  teller.Tell("host.huge_pages",
              base::Trimmed(root.Read("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text)));
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar …": the first word that is a number with dots.
void TellKernelDriver(capture::ConditionTeller& teller, const Root& root) {
  char text[512];
  std::string_view rest = base::LineAfter(root.Read("/proc/driver/nvidia/version", text, sizeof text), "NVRM version:");
  while (!rest.empty()) {
    const std::string_view word = base::Part(rest, 0, rest.find(' '));
    if (!word.empty() && word.find_first_not_of("0123456789.") == word.npos && word.find('.') != word.npos)
      return teller.Tell("driver.version", word);
    rest.remove_prefix(word.size() < rest.size() ? word.size() + 1 : rest.size());
  }
}

// The last part of a control group's path that is an id of a container (64 hexadecimal digits), or empty.
std::string_view ContainerId(std::string_view groups) {
  constexpr size_t kIdSize = 64;
  for (size_t at = 0; at + kIdSize <= groups.size(); ++at) {
    const size_t end = groups.find_first_not_of("0123456789abcdef", at);
    const size_t size = (end == groups.npos ? groups.size() : end) - at;
    if (size == kIdSize) return base::Part(groups, at, size);
    at += size;
  }
  return {};
}

const char* ContainerKind(const Root& root, std::string_view groups) {
  if (groups.find("kubepods") != groups.npos || root.Has("/var/run/secrets/kubernetes.io")) return "kubernetes";
  if (root.Has("/run/.containerenv") || groups.find("libpod") != groups.npos) return "podman";
  if (root.Has("/.dockerenv") || groups.find("docker") != groups.npos) return "docker";
  if (groups.find("/lxc") != groups.npos) return "lxc";
  return "none seen";
}

void TellContainer(capture::ConditionTeller& teller, const Root& root, const base::SipKey& key) {
  char text[4096];
  const std::string_view groups = root.Read("/proc/self/cgroup", text, sizeof text);
  teller.Tell("container.kind", ContainerKind(root, groups));
  if (const std::string_view id = ContainerId(groups); !id.empty()) {
    char pseudonym[17];
    snprintf(pseudonym, sizeof pseudonym, "%016llx", static_cast<unsigned long long>(base::SipHash(key, id)));
    teller.Tell("container.id", pseudonym);
  }
  const GroupLimits limits = ReadGroupLimits(root.root, groups);
  char value[32];
  if (limits.version != 0) teller.Tell("cgroup.version", limits.version == 2 ? "2" : "1");
  if (limits.milli_cpus != 0) {
    snprintf(value, sizeof value, "%llu.%03llu", static_cast<unsigned long long>(limits.milli_cpus / 1000),
             static_cast<unsigned long long>(limits.milli_cpus % 1000));
    teller.Tell("cgroup.cpus", value);
  }
  if (limits.memory_bytes != 0) {
    snprintf(value, sizeof value, "%llu", static_cast<unsigned long long>(limits.memory_bytes));
    teller.Tell("cgroup.memory_bytes", value);
  }
}

}  // namespace

void TellHostFacts(capture::ConditionTeller& teller, const char* root, const base::SipKey& key) {
  const Root from{root};
  TellMachine(teller, from);
  TellKernelDriver(teller, from);
  TellContainer(teller, from, key);
}

}  // namespace slowtoken::conditions
