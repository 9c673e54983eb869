#include "server/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "scenario/parse.h"

namespace slowtoken::demo {
namespace {

constexpr const char* kAbout =
    "slowtoken-demo: a small LLM-shaped server with real HTTP, threads and CUDA, annotated with slowtoken/llmserve.h.\n"
    "It answers POST /v1/completions {\"prompt_tokens\": n, \"max_tokens\": n, \"stream\": true}.";

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "slowtoken-demo: %s\n", std::string(status.message()).c_str());
  return absl::IsNotFound(status) ? 3 : 2;
}

absl::Status ReadConfig(const std::string& file, const std::vector<std::string>& settings, Config& config) {
  if (!file.empty())
    if (absl::Status status = ApplyConfigFile(file, config); !status.ok()) return status;
  for (const std::string& setting : settings)
    if (absl::Status status = ApplyConfigText(setting, "--set", config); !status.ok()) return status;
  return absl::OkStatus();
}

// Draws the injections, and makes the room that they need.
absl::Status UseScenarios(const std::string& text, Options& options) {
  constexpr int64_t kLiftedTokens = 8192;  // of one iteration, for a prompt that nothing cuts
  absl::StatusOr<std::vector<Injection>> injections = ParseScenarios(text, options.seed);
  if (!injections.ok()) return injections.status();
  options.injections = *std::move(injections);
  for (const Injection& injection : options.injections) {
    if (injection.scenario == Scenario::kCollectiveWait) options.config.all_reduce = 1;
    if (injection.scenario == Scenario::kPrefillInterference)
      options.config.lifted_batch_tokens = kLiftedTokens + options.config.max_batch_tokens;
  }
  return absl::OkStatus();
}

}  // namespace

bool ParseOptions(int argc, char** argv, Options& options, int& exit_code) {
  options.arguments.assign(argv, argv + argc);
  CLI::App app(kAbout);
  std::string config_file;
  std::vector<std::string> settings;
  const std::map<std::string, Role> roles = {
      {"engine", Role::kEngine}, {"scheduler", Role::kScheduler}, {"worker", Role::kWorker}};
  app.add_option("--port", options.port, "TCP port on 127.0.0.1; 0 picks a free one. The first line printed names it")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of all that is drawn at random")->capture_default_str();
  app.add_option("--split", options.split,
                 "1: one process; 2: frontend and engine; 3: frontend, scheduler and GPU worker")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  app.add_option("--config", config_file, "file of `key = value` lines (see below)")->type_name("FILE");
  app.add_option("--set", settings, "one `key=value`, after --config; may be repeated")->type_name("KEY=VALUE");
  std::string scenario;
  app.add_option("--scenario", scenario, "causes of slowness to bring about (see below)")
      ->type_name("NAME[:VARIANT][*COUNT][@START][+LENGTH],...");
  app.add_option("--truth", options.truth, "write what really happened, as JSON lines")->type_name("FILE");
  app.add_option("--role", options.role)->transform(CLI::CheckedTransformer(roles))->group("");  // children only
  app.footer(
      absl::StrCat("Settings and their defaults (meaning: tools/demo/README.md):\n", DescribeConfig(Config{}),
                   "\nScenarios: causes and the ways to bring them about (drawn from --seed where left out).\n"
                   "START and LENGTH in seconds, START since the first request; mix:COUNT, mix_stalls:COUNT and\n"
                   "mix_first_tokens:COUNT draw causes.\n",
                   DescribeScenarios()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : 2;
    return false;
  }
  if (absl::Status status = ReadConfig(config_file, settings, options.config); !status.ok()) {
    exit_code = Fail(status);
    return false;
  }
  if (!scenario.empty()) {
    if (absl::Status status = UseScenarios(scenario, options); !status.ok()) {
      exit_code = Fail(status);
      return false;
    }
  }
  if (options.role == Role::kAll && options.split > 1) options.role = Role::kFrontend;
  return true;
}

}  // namespace slowtoken::demo
