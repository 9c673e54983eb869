// The `slowtoken` command: finds the verb and runs it.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "nearest.h"
#include "verb.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"run", "start a program with slowtoken inside it", Run},
    {"env", "print the variables that run sets, for a shell, systemd or Kubernetes", Env},
    {"ctl", "talk to running processes: status, metrics, snapshot, mark, pause, resume", Ctl},
    {"top", "watch running processes: TTFT and ITL by phase, stalls, GPU, own cost", Top},
    {"report", "explain what a trace shows: TTFT, ITL, stalls, GPU", Report},
    {"why", "explain one slow request or token: its timeline and its cause", Why},
    {"diff", "say what changed between two runs, with confidence", Diff},
    {"export", "write a trace for another tool (Perfetto)", Export},
    {"import", "make a trace of another tool's (PyTorch profiler, Chrome-trace JSON)", Import},
    {"verify", "check a trace: integrity, losses, coverage", Verify},
    {"overhead", "measure what slowtoken costs a program", Overhead},
    {"doctor", "say what works on this machine and what to do about the rest", Doctor},
};

constexpr const char* kHelp =
    "\nExamples:\n"
    "  slowtoken run -o traces -- python -m my_server     record while the server runs\n"
    "  slowtoken report traces                            why were its tokens slow\n"
    "  slowtoken export traces --to=perfetto -o out.pftrace\n"
    "\n'slowtoken VERB --help' lists the options of a verb.\n"
    "Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 input cannot be read.\n";

void PrintHelp() {
  std::printf("slowtoken %s: why was this token slow?\n\nUsage: slowtoken VERB [options]\n\n", SLOWTOKEN_VERSION);
  for (const Verb& verb : kVerbs) std::printf("  %-8s %s\n", verb.name, verb.summary);
  std::fputs(kHelp, stdout);
}

// What a verb wrote must have arrived: a full disk or a closed output is a failure, whatever the verb found.
int CheckOutput(const char* verb, int code) {
  errno = 0;
  std::cout.flush();
  std::fflush(stdout);
  if (std::cout && std::ferror(stdout) == 0) return code;
  if (code == kUnreadable) return code;  // it has said so
  return Fail(verb,
              std::string("cannot write the output") + (errno != 0 ? ": " : "") + (errno != 0 ? strerror(errno) : ""),
              kUnreadable);
}

int Main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h" || name == "help") {
    PrintHelp();
    return CheckOutput("help", kDone);
  }
  if (name == "--version") {
    std::printf("slowtoken %s\n", SLOWTOKEN_VERSION);
    return CheckOutput("--version", kDone);
  }
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return CheckOutput(verb.name, verb.run(Arguments(argv + 2, argv + argc)));
  }
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  const std::string what =
      name.empty() ? "no verb given" : "no verb called '" + std::string(name) + "'" + DidYouMean(name, names);
  std::fprintf(stderr,
               "slowtoken: %s; the verbs are run, env, ctl, top, report, why, diff, export, import, verify, overhead, "
               "doctor (see "
               "slowtoken --help)\n",
               what.c_str());
  return kUsage;
}

}  // namespace
}  // namespace slowtoken::cli

int main(int argc, char** argv) {
  try {
    return slowtoken::cli::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("slowtoken: out of memory; read fewer traces at once, or use a machine with more\n", stderr);
  } catch (const std::filesystem::filesystem_error& error) {
    std::fprintf(stderr, "slowtoken: %s: %s; give a place that this user may use\n", error.path1().c_str(),
                 error.code().message().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "slowtoken: internal error: %s; please report it\n", error.what());
  }
  return slowtoken::cli::kUnreadable;
}
