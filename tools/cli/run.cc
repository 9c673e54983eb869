// slowtoken run [options] -- CMD…: sets the environment that brings libslowtoken.so into CMD and execs it, so that the
// process keeps its id, its parent and its signals. Nothing of the user's own environment is taken away.
#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launch_environment.h"
#include "memory_limit.h"
#include "old_runs.h"
#include "program_file.h"
#include "rule_file.h"
#include "run_folders.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kRunVerb = {"run", "Starts CMD with slowtoken inside it: `slowtoken run [options] -- CMD…`", Run};
constexpr const char* kRunExamples =
    "  slowtoken run -o traces -- python -m vllm.entrypoints.openai.api_server --model M\n"
    "  slowtoken run -o traces --slo=ttft:500ms,itl:100ms -- ./server\n"
    "  slowtoken run -o traces --mode=trace -- ./server\n"
    "  slowtoken run -o traces --label model=M --label quantization=fp8 -- ./server\n"
    "  slowtoken run -o traces --sim -- ./server        on the simulated GPU\n";

constexpr const char* kNothingToRun =
    "no command given; write it after --, as in `slowtoken run -o traces -- ./server`";
constexpr int kCommandNotExecutable = 126, kCommandNotFound = 127;  // as a shell has it

void SetEnvironment(const LaunchEnvironment& environment) {
  for (const std::string& notice : environment.notices) Note("run", notice);
  for (const Variable& variable : environment.variables) setenv(variable.name.c_str(), variable.value.c_str(), 1);
}

int Execute(const Arguments& command) {
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  return Fail("run", absl::StrCat("cannot start ", command[0], ": ", strerror(error), "; check its path"),
              error == ENOENT ? kCommandNotFound : kCommandNotExecutable);
}

void SayWhatTheUserShouldKnow(const LaunchOptions& options, const RunIdentity& identity, const std::string& command) {
  if (options.out.empty())
    Note("run", absl::StrCat("traces go to ", identity.out.string(), "; `slowtoken report` reads them"));
  if (const size_t others = OtherRunsIn(identity.out, identity.run_id); others != 0) {
    Note("run", absl::StrCat(identity.out.string(), " already holds traces of ", others,
                             others == 1 ? " other run" : " other runs", "; this one is run ", identity.run_id,
                             " (`slowtoken report` reads the newest, --run=ID another)"));
  }
  if (options.simulated && HasStaticCudaRuntime(FindProgram(command))) {
    Note("run", absl::StrCat(command,
                             " has the CUDA run time linked into it, which looks for a real GPU; the simulated "
                             "one needs a program built with `nvcc -cudart shared`"));
  }
}

}  // namespace

int Run(const Arguments& arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const auto asked = [&](const char* word) { return std::find(arguments.begin(), separator, word) != separator; };
  if (separator == arguments.end() && !asked("--help") && !asked("-h")) return Fail("run", kNothingToRun, kUsage);
  LaunchOptions options;
  VerbApp app(kRunVerb, kRunExamples);
  AddLaunchOptions(app, options);
  if (auto code = app.Parse(Arguments(arguments.begin(), separator))) return *code;
  if (absl::Status valid = CheckLaunchOptions(options); !valid.ok()) return Fail("run", valid, kUsage);
  if (separator + 1 == arguments.end()) return Fail("run", kNothingToRun, kUsage);
  if (!options.rules.empty()) {
    if (absl::Status pack = CheckRuleFile(options.rules).status(); !pack.ok()) return Fail("run", pack, kUnreadable);
  }
  if (absl::Status fits = CheckMemory(options.memory_bytes, options.memory); !fits.ok())
    return Fail("run", fits, kUsage);
  const Arguments command(separator + 1, arguments.end());
  if (FindProgram(command[0]).empty()) {
    return Fail("run", absl::StrCat("cannot start ", command[0], ": there is no such program; check its path"),
                kCommandNotFound);
  }
  const Installation installation = FindInstallation();
  if (absl::Status found = CheckInstallation(installation, options.simulated); !found.ok()) {
    return Fail("run", found, kUnreadable);
  }
  absl::StatusOr<RunIdentity> identity = MakeIdentity(options, BaseFolder());
  if (!identity.ok()) return Fail("run", identity.status(), kUsage);
  if (absl::Status made = MakeRunFolders(*identity); !made.ok()) return Fail("run", made, kUnreadable);
  RemoveEmptyRuns(identity->base, identity->folder);
  TidyUp("run", identity->base, identity->folder);
  if (absl::Status written = WriteManifest(*identity, options, command[0]); !written.ok()) {
    return Fail("run", written, kUnreadable);
  }
  SayWhatTheUserShouldKnow(options, *identity, command[0]);
  SetEnvironment(MakeLaunchEnvironment(options, installation, *identity, Launcher::kHere));
  return Execute(command);
}

}  // namespace slowtoken::cli
