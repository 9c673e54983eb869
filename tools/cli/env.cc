// slowtoken env [options] --format=shell|systemd|k8s: the variables that `run` sets, for launchers it cannot stand in
// front of, and a comment about what else these need.
#include <absl/strings/str_cat.h>

#include <cstdlib>
#include <iostream>

#include "launch_environment.h"
#include "launcher_text.h"
#include "memory_limit.h"
#include "old_runs.h"
#include "rule_file.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kEnvVerb = {"env", "Prints the variables that `slowtoken run` sets, for other launchers.", Env};
constexpr const char* kEnvExamples =
    "  eval \"$(slowtoken env -o traces)\"; ./server\n"
    "  slowtoken env --format=systemd > /etc/systemd/system/NAME.service.d/slowtoken.conf\n"
    "  slowtoken env --format=k8s --prefix=/opt/slowtoken      for a container's `env:`\n";

// Where a service finds a place of its own: systemd makes it, a pod mounts it.
constexpr const char* kServicePlace = "/run/slowtoken";

constexpr const char* kSystemdNeeds =
    "# What else the unit needs, in its section [Service]:\n"
    "#   RuntimeDirectory=slowtoken           if SLOWTOKEN_DIR is /run/slowtoken: makes it for the service's user\n"
    "#   RuntimeDirectoryMode=0700\n"
    "#   RuntimeDirectoryPreserve=yes         or the traces go when the service stops\n"
    "#   ReadWritePaths=DIR                   with ProtectSystem=strict, for any other SLOWTOKEN_DIR or SLOWTOKEN_OUT\n"
    "# SLOWTOKEN_KEY joins the run's processes and is a secret; a drop-in is readable by all. SLOWTOKEN_KEY_FILE names "
    "a\n"
    "# file with it instead: set that before you call `slowtoken env`.\n";

constexpr const char* kKubernetesNeeds =
    "# What else the pod needs:\n"
    "#   volumes:       - {name: slowtoken, emptyDir: {sizeLimit: 2Gi}}\n"
    "#   volumeMounts:  - {name: slowtoken, mountPath: DIR}   SLOWTOKEN_DIR; also in a sidecar that runs `slowtoken`, "
    "as\n"
    "#                                                        the server's user; needed with a read-only root, too\n"
    "# SLOWTOKEN_KEY joins the pod's processes and is a secret: put it into a Secret and use valueFrom, or mount that "
    "and\n"
    "# set SLOWTOKEN_KEY_FILE before you call `slowtoken env`.\n";

struct EnvOptions {
  LaunchOptions launch;
  std::string format = "shell";
  std::string prefix;
};

absl::Status Check(EnvOptions& options) {
  if (absl::Status valid = CheckLaunchOptions(options.launch); !valid.ok()) return valid;
  const bool here = options.format == "shell";
  if (!here && options.format != "systemd" && options.format != "k8s") {
    return absl::InvalidArgumentError(
        absl::StrCat("--format=", options.format, " is not known; use shell, systemd or k8s"));
  }
  if (here) return CheckMemory(options.launch.memory_bytes, options.launch.memory);
  for (const auto& [option, path] : {std::pair("-o ", options.launch.out), std::pair("--prefix=", options.prefix),
                                     std::pair("--rules=", options.launch.rules)}) {
    if (!path.empty() && path.front() != '/') {
      return absl::InvalidArgumentError(absl::StrCat(option, path, " must be an absolute path: it is used elsewhere"));
    }
  }
  return absl::OkStatus();
}

// What is printed for elsewhere is checked there, by doctor.
Installation FindInstallationFor(const EnvOptions& options) {
  if (options.prefix.empty()) return FindInstallation();
  const auto lib = std::filesystem::absolute(options.prefix).lexically_normal() / "lib";
  return {lib / "libslowtoken.so", lib / "simgpu"};
}

// This shell's programs are a run of their own, like one of `run`.
int PrintForThisShell(const EnvOptions& options, const Installation& installation) {
  if (absl::Status found = CheckInstallation(installation, options.launch.simulated); !found.ok())
    return Fail("env", found, kUnreadable);
  if (!options.launch.rules.empty()) {
    if (absl::Status pack = CheckRuleFile(options.launch.rules).status(); !pack.ok())
      return Fail("env", pack, kUnreadable);
  }
  absl::StatusOr<RunIdentity> identity = MakeIdentity(options.launch, BaseFolder());
  if (!identity.ok()) return Fail("env", identity.status(), kUsage);
  if (absl::Status made = MakeRunFolders(*identity); !made.ok()) return Fail("env", made, kUnreadable);
  if (absl::Status written = WriteManifest(*identity, options.launch, std::nullopt); !written.ok())
    return Fail("env", written, kUnreadable);
  TidyUp("env", identity->base, identity->folder);
  const LaunchEnvironment environment = MakeLaunchEnvironment(options.launch, installation, *identity, Launcher::kHere);
  for (const std::string& notice : environment.notices) Note("env", notice);
  // Comments come last: an unquoted $(slowtoken env) is one line to the shell.
  std::cout << ShellText(environment.variables) << "# Use it as: eval \"$(slowtoken env)\"\n";
  return kDone;
}

int PrintForElsewhere(const EnvOptions& options, const Installation& installation) {
  const char* given = std::getenv("SLOWTOKEN_DIR");
  const bool has_place = given != nullptr && *given != '\0';
  absl::StatusOr<RunIdentity> identity = MakeIdentity(options.launch, has_place ? BaseFolder() : kServicePlace);
  if (!identity.ok()) return Fail("env", identity.status(), kUsage);
  const LaunchEnvironment environment =
      MakeLaunchEnvironment(options.launch, installation, *identity, Launcher::kElsewhere);
  const bool systemd = options.format == "systemd";
  const absl::StatusOr<std::string> text =
      systemd ? SystemdText(environment.variables) : KubernetesText(environment.variables);
  if (!text.ok()) return Fail("env", text.status(), kUsage);
  std::cout << (systemd ? "[Service]\n" : "") << *text << (systemd ? kSystemdNeeds : kKubernetesNeeds);
  return kDone;
}

}  // namespace

int Env(const Arguments& arguments) {
  EnvOptions options;
  VerbApp app(kEnvVerb, kEnvExamples);
  AddLaunchOptions(app, options.launch);
  app.add_option("--format", options.format, "`shell` (for this machine, now), `systemd` or `k8s`")
      ->capture_default_str();
  app.add_option("--prefix", options.prefix, "where slowtoken is installed there (default: where this one is)")
      ->type_name("DIR");
  if (auto code = app.Parse(arguments)) return *code;
  if (absl::Status valid = Check(options); !valid.ok()) return Fail("env", valid, kUsage);
  const Installation installation = FindInstallationFor(options);
  return options.format == "shell" ? PrintForThisShell(options, installation)
                                   : PrintForElsewhere(options, installation);
}

}  // namespace slowtoken::cli
