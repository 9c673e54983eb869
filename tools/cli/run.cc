// slowtoken run [options] -- CMD…: sets the environment that brings libslowtoken.so into CMD and execs it, so that the
// process keeps its id, its parent and its signals. Nothing of the user's own environment is taken away.
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launch_options.h"
#include "manifest.h"
#include "memory_limit.h"
#include "places.h"
#include "program_file.h"
#include "run_folders.h"
#include "verb.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kVerb = {"run", "Starts CMD with slowtoken inside it: `slowtoken run [options] -- CMD…`", Run};
constexpr const char* kExamples =
    "  slowtoken run -o traces -- python -m vllm.entrypoints.openai.api_server --model M\n"
    "  slowtoken run -o traces --slo=ttft:500ms,itl:100ms -- ./server\n"
    "  slowtoken run -o traces --mode=trace -- ./server\n"
    "  slowtoken run -o traces --label model=M --label quantization=fp8 -- ./server\n"
    "  slowtoken run -o traces --sim -- ./server        on the simulated GPU\n";

constexpr const char* kNoCommand = "no command given; write it after --, as in `slowtoken run -o traces -- ./server`";
constexpr int kCommandNotExecutable = 126, kCommandNotFound = 127;  // as a shell has it

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void Set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

// A door of the driver or of NVTX has room for one tool. One that is already named stays.
void TakeDoor(const char* variable, const std::string& library, const char* what_is_lost) {
  const std::string present = Environment(variable);
  if (present.empty()) return Set(variable, library);
  if (present == library) return;
  Fail(
      "run",
      absl::StrCat(variable, " already names ", present, "; left as it is, so ", what_is_lost, " will not be recorded"),
      0);
}

absl::Status CheckInstallation(const Installation& installation, bool simulated) {
  if (access(installation.library.c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(installation.library.string(),
                                            " is not there; build or install libslowtoken.so beside this command"));
  }
  if (simulated && access((installation.simgpu / "libcuda.so.1").c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat("no simulated GPU in ", installation.simgpu.string(),
                                            "; build the target simgpu, or leave out --sim"));
  }
  return absl::OkStatus();
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

void SetEnvironment(const LaunchOptions& options, const Installation& installation, const RunIdentity& identity) {
  Set("SLOWTOKEN_OUT", identity.out.string());
  Set("SLOWTOKEN_DIR", identity.base.string());
  Set("SLOWTOKEN_RUN_ID", identity.run_id);
  if (!identity.key.empty()) Set("SLOWTOKEN_KEY", identity.key);
  Set("SLOWTOKEN_MODE", options.mode);
  Set("SLOWTOKEN_GRAPH", options.graph);
  Set("SLOWTOKEN_SLO", options.slo);
  Set("SLOWTOKEN_FLIGHT", options.flight);
  Set("SLOWTOKEN_MAX_TRACE", absl::StrCat(options.max_trace_bytes));
  Set("SLOWTOKEN_IDS", options.ids);
  Set("SLOWTOKEN_MEMORY", absl::StrCat(options.memory_bytes));
  if (!options.labels.empty()) Set("SLOWTOKEN_LABELS", absl::StrJoin(options.labels, ","));
  if (options.simulated) {
    const std::string present = Environment("LD_LIBRARY_PATH");
    Set("LD_LIBRARY_PATH", absl::StrCat(installation.simgpu.string(), present.empty() ? "" : ":", present));
  }
  TakeDoor("CUDA_INJECTION64_PATH", installation.library.string(), "GPU work");
  TakeDoor("NVTX_INJECTION64_PATH", installation.library.string(), "NVTX ranges and requests");
}

absl::StatusOr<RunIdentity> MakeIdentity(const LaunchOptions& options) {
  RunIdentity identity;
  absl::StatusOr<std::string> run_id = KeptOrDrawn("SLOWTOKEN_RUN_ID", 8);
  if (!run_id.ok()) return run_id.status();
  identity.run_id = *run_id;
  if (Environment("SLOWTOKEN_KEY_FILE").empty() || !Environment("SLOWTOKEN_KEY").empty()) {
    absl::StatusOr<std::string> key = KeptOrDrawn("SLOWTOKEN_KEY", 16);
    if (!key.ok()) return key.status();
    identity.key = *key;
  }
  identity.base = BaseFolder();
  identity.folder = identity.base / identity.run_id;
  identity.out = options.out.empty() ? identity.folder : std::filesystem::absolute(options.out);
  return identity;
}

absl::Status MakeFolders(const RunIdentity& identity) {
  for (const auto& folder : {identity.base, identity.folder}) {
    if (absl::Status made = MakePrivateFolder(folder); !made.ok()) return made;
  }
  return MakeOutputFolder(identity.out);
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

// More than can be had would only end in the server's death.
absl::Status CheckMemory(const LaunchOptions& options) {
  const std::optional<MemoryLimit> available = AvailableMemory();
  if (!available || options.memory_bytes <= available->bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--memory=", options.memory, " is more than the ",
                                                 available->bytes >> 20, "M that are left (", available->from,
                                                 "); give less"));
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
  if (separator == arguments.end() && !asked("--help") && !asked("-h")) return Fail("run", kNoCommand, kUsage);
  LaunchOptions options;
  VerbApp app(kVerb, kExamples);
  AddLaunchOptions(app, options);
  if (auto code = app.Parse(Arguments(arguments.begin(), separator))) return *code;
  if (absl::Status valid = CheckLaunchOptions(options); !valid.ok()) return Fail("run", valid, kUsage);
  if (separator + 1 == arguments.end()) return Fail("run", kNoCommand, kUsage);
  if (absl::Status fits = CheckMemory(options); !fits.ok()) return Fail("run", fits, kUsage);
  const Installation installation = FindInstallation();
  if (absl::Status found = CheckInstallation(installation, options.simulated); !found.ok()) {
    return Fail("run", found, kUnreadable);
  }
  absl::StatusOr<RunIdentity> identity = MakeIdentity(options);
  if (!identity.ok()) return Fail("run", identity.status(), kUsage);
  if (absl::Status made = MakeFolders(*identity); !made.ok()) return Fail("run", made, kUnreadable);
  RemoveEmptyRuns(identity->base, identity->folder);
  const Arguments command(separator + 1, arguments.end());
  if (absl::Status written = WriteManifest(*identity, options, command[0]); !written.ok()) {
    return Fail("run", written, kUnreadable);
  }
  SayWhatTheUserShouldKnow(options, *identity, command[0]);
  SetEnvironment(options, installation, *identity);
  return Execute(command);
}

}  // namespace slowtoken::cli
