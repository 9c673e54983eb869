// slowtoken top: a live view of running processes, in any terminal (plain ANSI sequences; nothing else is needed over
// ssh). Written to something that is no terminal, or with --once, it is one look, as text.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <unistd.h>

#include <iostream>

#include "analysis/present_reader.h"
#include "control_client.h"
#include "terminal.h"
#include "top_screen.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kTopVerb = {"top", "Watches running processes: `slowtoken top [PID|all]`. q quits.", Top};
constexpr const char* kTopExamples =
    "  slowtoken top                     all processes of this user, every 2 s\n"
    "  slowtoken top 4711 --interval=5\n"
    "  slowtoken top --once              one look since their start, as text\n";

struct TopOptions {
  std::string target = "all";
  std::string dir;
  double interval_s = 2;
  bool once = false;
};

TopLook Look(const TopOptions& options, const std::vector<std::filesystem::path>& places) {
  std::vector<ControlSocketFile> sockets = FindControlSockets(places);
  if (options.target != "all") {
    std::erase_if(sockets, [&](const ControlSocketFile& socket) { return absl::StrCat(socket.pid) != options.target; });
  }
  TopLook look;
  const std::string request = reader::ControlRequestBytes(v1::ControlRequest::METRICS, "");
  for (const ControlResult& result : AskAll(sockets, request, absl::Seconds(2))) {
    if (!result.bytes.ok()) continue;
    const absl::StatusOr<reader::ControlAnswer> answer = reader::ParseControlAnswer(*result.bytes);
    if (!answer.ok() || answer->trace.empty()) continue;
    absl::StatusOr<analysis::Present> present = analysis::ReadPresent(answer->trace);
    if (present.ok()) look.push_back(*std::move(present));
  }
  return look;
}

std::string Head(const TopOptions& options, bool live) {
  const std::string clock = absl::FormatTime("%H:%M:%S", absl::Now(), absl::LocalTimeZone());
  if (!live) return absl::StrCat("slowtoken top  ", clock);
  return absl::StrCat("slowtoken top  ", clock, "  every ", options.interval_s, " s  (q quits)");
}

int Once(const TopOptions& options, const std::vector<std::filesystem::path>& places) {
  const TopLook look = Look(options, places);
  if (look.empty()) return Fail("top", NobodyThere(options.target, options.dir, places), kUnreadable);
  for (const std::string& line : TopLines(TopNumbers({}, look), Head(options, false), {.width = 200, .height = 0})) {
    std::cout << line << "\n";
  }
  return kDone;
}

void Draw(const Terminal& terminal, const TopOptions& options, const TopLook& before, const TopLook& now) {
  const TopSize size = {terminal.width(), terminal.height()};
  std::vector<std::string> lines = TopLines(TopNumbers(before, now), Head(options, true), size);
  if (now.empty()) lines.push_back("nobody answers; waiting");
  terminal.Draw(lines);
}

int Live(const TopOptions& options, const std::vector<std::filesystem::path>& places) {
  Terminal terminal;
  if (!terminal.ok()) return Fail("top", "the terminal cannot be set up; try --once", kUnreadable);
  TopLook before, now;
  absl::Time next = absl::InfinitePast();
  for (;;) {
    if (absl::Now() >= next) {
      before = std::move(now);
      now = Look(options, places);
      next = absl::Now() + absl::Seconds(options.interval_s);
    }
    Draw(terminal, options, before, now);
    switch (terminal.Wait(next - absl::Now())) {
      case Terminal::Event::kQuit:
        return kDone;
      case Terminal::Event::kResized:
      case Terminal::Event::kTime:
        break;
    }
  }
}

}  // namespace

int Top(const Arguments& arguments) {
  TopOptions options;
  VerbApp app(kTopVerb, kTopExamples);
  app.add_option("TARGET", options.target, "a process id, or `all`")->capture_default_str();
  app.add_option("--dir", options.dir, "where runs are looked for (default: SLOWTOKEN_DIR and the usual places)");
  app.add_option("--interval", options.interval_s, "seconds between two looks")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  app.add_flag("--once", options.once, "one look since the start of the processes, as text");
  if (auto code = app.Parse(arguments)) return *code;
  int pid = 0;
  if (options.target != "all" && (!absl::SimpleAtoi(options.target, &pid) || pid <= 0)) {
    return Fail("top", absl::StrCat(options.target, " is neither a process id nor `all`"), kUsage);
  }
  const std::vector<std::filesystem::path> places = RunPlaces(options.dir);
  const bool live = !options.once && isatty(STDOUT_FILENO) != 0 && isatty(STDIN_FILENO) != 0;
  return live ? Live(options, places) : Once(options, places);
}

}  // namespace slowtoken::cli
