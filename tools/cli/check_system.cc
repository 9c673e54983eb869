// doctor: the environment, the kernel, and where output goes.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "finding.h"
#include "old_runs.h"
#include "places.h"
#include "report/units.h"
#include "rule_file.h"

namespace slowtoken::cli {
namespace {

using State = Finding::State;

std::string ValueOf(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string FirstLine(const char* path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

Finding CheckDoor(const char* variable, const char* what_is_lost) {
  const std::string present = ValueOf(variable);
  if (present.empty()) return {variable, State::kOk, "free", ""};
  if (present == FindInstallation().library.string()) return {variable, State::kOk, "names this slowtoken", ""};
  return {variable, State::kWarning, absl::StrCat("taken by ", present, ": ", what_is_lost),
          absl::StrCat("unset ", variable, " to let slowtoken in")};
}

}  // namespace

std::vector<Finding> CheckDoors() {
  std::vector<Finding> findings = {CheckDoor("CUDA_INJECTION64_PATH", "GPU work will not be recorded"),
                                   CheckDoor("NVTX_INJECTION64_PATH", "NVTX ranges and requests will not be recorded"),
                                   CheckDoor("NCCL_PROFILER_PLUGIN", "collectives are that tool's")};
  const std::string preload = ValueOf("LD_PRELOAD");
  findings.push_back(
      {"LD_PRELOAD", State::kOk, preload.empty() ? "empty" : absl::StrCat("kept as it is: ", preload), ""});
  return findings;
}

Finding CheckRules() {
  const std::string path = ValueOf("SLOWTOKEN_RULES");
  if (path.empty()) return {"rule pack", State::kOk, "none of your own: those of known engines", ""};
  const absl::StatusOr<size_t> rules = CheckRuleFile(path);
  if (rules.ok()) return {"rule pack", State::kOk, absl::StrCat(path, ": ", *rules, " rules"), ""};
  return {"rule pack", State::kProblem, std::string(rules.status().message()), ""};
}

Finding CheckPerfEvents() {
  const std::string text = FirstLine("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if (text.empty() || !absl::SimpleAtoi(text, &level)) {
    return {"perf events", State::kWarning, "this kernel has no perf events",
            "nothing: thread states then come from schedstat"};
  }
  if (level > 2) {
    return {"perf events", State::kWarning,
            absl::StrCat("kernel.perf_event_paranoid is ", level, ": not for unprivileged processes"),
            "sysctl kernel.perf_event_paranoid=2; without it thread states come from schedstat"};
  }
  return {"perf events", State::kOk, absl::StrCat("kernel.perf_event_paranoid is ", level), ""};
}

Finding CheckClock() {
  const std::string source = FirstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (source == "tsc" || source == "arch_sys_counter")
    return {"clock", State::kOk, absl::StrCat(source, ": cheap time stamps"), ""};
  return {"clock", State::kWarning,
          absl::StrCat(source.empty() ? "unknown" : source, ": reading the time is slower, so ranges cost more"),
          "boot with clocksource=tsc if the machine's TSC is sound"};
}

Finding CheckOutput() {
  const std::filesystem::path folder = BaseFolder();
  std::filesystem::path existing = folder;
  while (!existing.empty() && access(existing.c_str(), F_OK) != 0) existing = existing.parent_path();
  if (access(existing.c_str(), W_OK | X_OK) != 0) {
    return {"output", State::kProblem, absl::StrCat("cannot write into ", existing.string()),
            "set SLOWTOKEN_DIR, or use `slowtoken run -o DIR`"};
  }
  return {"output", State::kOk, absl::StrCat(folder.string(), existing == folder ? "" : " (made when needed)"), ""};
}

Finding CheckOldRuns() {
  const std::vector<OldRun> runs = RunsToRemove(BaseFolder(), {}, absl::Now());
  if (runs.empty()) return {"old runs", State::kOk, "nothing to tidy up", ""};
  uint64_t bytes = 0;
  for (const OldRun& run : runs) bytes += run.bytes;
  return {"old runs", State::kOk,
          absl::StrCat(runs.size(), runs.size() == 1 ? " run" : " runs", " of the past with ", report::Bytes(bytes),
                       " in ", BaseFolder().string(), ": the next `slowtoken run` or `ctl` removes them"),
          ""};
}

}  // namespace slowtoken::cli
