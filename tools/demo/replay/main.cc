// slowtoken-replay: replays a request log at a server over HTTP and writes what the client saw. See
// tools/demo/README.md.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "replay/log_generator.h"
#include "replay/replay_client.h"

namespace {

using namespace slowtoken::demo;

constexpr const char* kAbout =
    "slowtoken-replay: sends the requests of a log to an LLM server at the log's times, open loop, and writes what "
    "came "
    "back, one JSON line a request (times: CLOCK_MONOTONIC in ns).";

std::atomic<bool> interrupted{false};

struct Arguments {
  std::string log, output, write_log;
  int64_t generate = 0;
  uint64_t seed = 1;
  LogSelection selection;
  ReplayOptions replay;
};

int Fail(const absl::Status& status, int code) {
  std::fprintf(stderr, "slowtoken-replay: %s\n", std::string(status.message()).c_str());
  return code;
}

void Declare(CLI::App& app, Arguments& a) {
  auto* log = app.add_option("--log", a.log, "Azure .csv or Mooncake .jsonl, perhaps with .gz")->type_name("FILE");
  app.add_option("--generate", a.generate, "draw N requests with the statistics of the Azure code trace instead")
      ->check(CLI::Range(int64_t{1}, int64_t{10'000'000}))
      ->excludes(log)
      ->type_name("N");
  app.add_option("--seed", a.seed, "of --generate")->capture_default_str();
  app.add_option("--write-log", a.write_log, "write the selected requests as .csv; without -o nothing is sent")
      ->type_name("FILE");
  app.add_option("--skip", a.selection.skip, "requests to leave out at the start")->check(CLI::NonNegativeNumber);
  app.add_option("--limit", a.selection.limit, "requests to send; 0: all")->check(CLI::NonNegativeNumber);
  app.add_option("--max-prompt", a.selection.max_prompt, "cut prompts to this many tokens")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--max-gen", a.selection.max_answer, "cut answers to this many tokens")->check(CLI::NonNegativeNumber);
  app.add_option("--max-gap", a.selection.max_gap_s, "shorten pauses between requests to this many seconds of the log")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--speed", a.replay.speed, "how many times faster than the log")
      ->check(CLI::Range(1e-6, 1e6))
      ->capture_default_str();
  app.add_option("--url", a.replay.url, "the server")->capture_default_str();
  app.add_option("--timeout", a.replay.timeout_s, "seconds a request may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--id-prefix", a.replay.id_prefix, "request ids are PREFIX-000001 and so on")->capture_default_str();
  app.add_option("-o,--output", a.output, "the client's record, JSON lines")->type_name("FILE");
}

void ShowProgress(const ReplayProgress& p) {
  static TimeNs shown = 0;
  if (!isatty(STDERR_FILENO) || NowNs() - shown < 200'000'000) return;
  shown = NowNs();
  std::fprintf(stderr, "\r%zu of %zu sent, %zu answered, %zu failed ", p.sent, p.total, p.done, p.failed);
}

int Replay(const Arguments& a, const std::vector<LoggedRequest>& log) {
  std::ofstream output(a.output);
  if (!output) return Fail(absl::NotFoundError(absl::StrCat("cannot write ", a.output)), 3);
  std::string first_error;
  const auto on_done = [&](const ClientRecord& record) {
    output << ToJson(record) << '\n';
    if (first_error.empty()) first_error = record.error;
  };
  ReplayClient client(a.replay, on_done, ShowProgress, [] { return interrupted.load(); });
  const ReplayProgress done = client.Run(log);
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r");
  std::fprintf(stderr, "%zu requests sent to %s, %zu answered well, %zu failed%s%s\n", done.sent, a.replay.url.c_str(),
               done.done - done.failed, done.failed, first_error.empty() ? "" : "; first error: ", first_error.c_str());
  output.close();
  if (!output) return Fail(absl::DataLossError(absl::StrCat(a.output, " could not be written whole")), 3);
  return done.failed == done.sent && done.sent > 0 ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kAbout);
  Arguments a;
  Declare(app, a);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (a.log.empty() == (a.generate == 0) || (a.output.empty() && a.write_log.empty()))
    return Fail(absl::InvalidArgumentError("needs --log FILE or --generate N, and -o FILE (or --write-log FILE)"), 2);
  absl::StatusOr<std::vector<LoggedRequest>> log = GenerateRequestLog(a.generate, a.seed);
  if (!a.log.empty()) log = ReadRequestLog(a.log);
  if (!log.ok()) return Fail(log.status(), 3);
  const std::vector<LoggedRequest> selected = Select(*log, a.selection);
  if (selected.empty()) return Fail(absl::InvalidArgumentError("--skip leaves no request of the log"), 2);
  if (!a.write_log.empty())
    if (absl::Status status = WriteRequestLog(selected, a.write_log); !status.ok()) return Fail(status, 3);
  if (a.output.empty()) return 0;
  signal(SIGINT, [](int) { interrupted = true; });
  return Replay(a, selected);
}
