#include "launch_environment.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace slowtoken::cli {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Keeps a value that came from outside (so that several `run`s join), else draws one.
absl::StatusOr<std::string> KeptOrDrawn(const char* variable, size_t bytes) {
  const std::string present = Environment(variable);
  if (present.empty()) return RandomHex(bytes);
  const bool valid = present.size() == 2 * bytes && std::all_of(present.begin(), present.end(), absl::ascii_isxdigit);
  if (!valid) {
    return absl::InvalidArgumentError(
        absl::StrCat(variable, " must be ", 2 * bytes, " hexadecimal digits; correct it or unset it"));
  }
  return absl::AsciiStrToLower(present);
}

// A door of the driver or of NVTX has room for one tool. One that is already named stays.
void TakeDoor(const char* variable, const std::string& library, const char* what_is_lost, Launcher launcher,
              LaunchEnvironment& environment) {
  const std::string present = launcher == Launcher::kHere ? Environment(variable) : "";
  if (present.empty() || present == library) return environment.variables.push_back({variable, library});
  environment.notices.push_back(absl::StrCat(variable, " already names ", present, "; left as it is, so ", what_is_lost,
                                             " will not be recorded"));
}

}  // namespace

absl::Status CheckInstallation(const Installation& installation, bool simulated) {
  if (access(installation.library.c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(installation.library.string(),
                                            " is not there; build or install libslowtoken.so beside this command"));
  }
  if (simulated && access((installation.simgpu / "libcuda.so.1").c_str(), R_OK) != 0) {
    return absl::NotFoundError(
        absl::StrCat("no simulated GPU in ", installation.simgpu.string(),
                     ": it is in a build of the source tree (build/release/bin/slowtoken), not in an installation"));
  }
  return absl::OkStatus();
}

absl::StatusOr<RunIdentity> MakeIdentity(const LaunchOptions& options, const std::filesystem::path& base) {
  RunIdentity identity;
  absl::StatusOr<std::string> run_id = KeptOrDrawn("SLOWTOKEN_RUN_ID", 8);
  if (!run_id.ok()) return run_id.status();
  identity.run_id = *run_id;
  if (Environment("SLOWTOKEN_KEY_FILE").empty() || !Environment("SLOWTOKEN_KEY").empty()) {
    absl::StatusOr<std::string> key = KeptOrDrawn("SLOWTOKEN_KEY", 16);
    if (!key.ok()) return key.status();
    identity.key = *key;
  }
  identity.base = base;
  identity.folder = base / identity.run_id;
  identity.out = options.out.empty() ? identity.folder : std::filesystem::absolute(options.out);
  return identity;
}

absl::Status MakeRunFolders(const RunIdentity& identity) {
  for (const auto& folder : {identity.base, identity.folder}) {
    if (absl::Status made = MakePrivateFolder(folder); !made.ok()) return made;
  }
  return MakeOutputFolder(identity.out);
}

LaunchEnvironment MakeLaunchEnvironment(const LaunchOptions& options, const Installation& installation,
                                        const RunIdentity& identity, Launcher launcher) {
  LaunchEnvironment environment;
  std::vector<Variable>& variables = environment.variables;
  TakeDoor("CUDA_INJECTION64_PATH", installation.library, "GPU work", launcher, environment);
  TakeDoor("NVTX_INJECTION64_PATH", installation.library, "NVTX ranges and requests", launcher, environment);
  if (options.simulated) {
    const std::string present = launcher == Launcher::kHere ? Environment("LD_LIBRARY_PATH") : "";
    variables.push_back(
        {"LD_LIBRARY_PATH", absl::StrCat(installation.simgpu.string(), present.empty() ? "" : ":", present)});
  }
  variables.insert(
      variables.end(),
      {{"SLOWTOKEN_DIR", identity.base}, {"SLOWTOKEN_OUT", identity.out}, {"SLOWTOKEN_RUN_ID", identity.run_id}});
  identity.key.empty() ? variables.push_back({"SLOWTOKEN_KEY_FILE", Environment("SLOWTOKEN_KEY_FILE")})
                       : variables.push_back({"SLOWTOKEN_KEY", identity.key});
  variables.insert(variables.end(), {{"SLOWTOKEN_MODE", options.mode},
                                     {"SLOWTOKEN_GRAPH", options.graph},
                                     {"SLOWTOKEN_SLO", options.slo},
                                     {"SLOWTOKEN_FLIGHT", options.flight},
                                     {"SLOWTOKEN_MAX_TRACE", absl::StrCat(options.max_trace_bytes)},
                                     {"SLOWTOKEN_IDS", options.ids},
                                     {"SLOWTOKEN_MEMORY", absl::StrCat(options.memory_bytes)}});
  if (!options.clear_domains.empty()) variables.push_back({"SLOWTOKEN_CLEAR_DOMAINS", options.clear_domains});
  if (!options.rules.empty())
    variables.push_back({"SLOWTOKEN_RULES", std::filesystem::absolute(options.rules).lexically_normal()});
  if (!options.budget.empty()) variables.push_back({"SLOWTOKEN_BUDGET", options.budget});
  if (!options.sample.empty()) variables.push_back({"SLOWTOKEN_SAMPLE", options.sample});
  if (!options.sched.empty()) variables.push_back({"SLOWTOKEN_SCHED", options.sched});
  if (!options.labels.empty()) variables.push_back({"SLOWTOKEN_LABELS", absl::StrJoin(options.labels, ",")});
  return environment;
}

}  // namespace slowtoken::cli
