#include "trace_pass.h"

#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "places.h"
#include "report/process_name.h"
#include "report/units.h"
#include "rule_file.h"
#include "run_folders.h"
#include "verb.h"

namespace slowtoken::cli {
namespace {

// ", last written 3 h ago", so that nobody takes an old run for the one he has just made.
std::string AgeOf(const std::filesystem::path& trace) {
  constexpr auto kNews = std::chrono::minutes(10);
  std::error_code error;
  const auto written = std::filesystem::last_write_time(trace, error);
  if (error) return "";
  const auto age = std::filesystem::file_time_type::clock::now() - written;
  if (age < kNews) return "";
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(age).count();
  return absl::StrCat(", last written ", report::Duration(static_cast<uint64_t>(ns)), " ago");
}

}  // namespace

void TracePass::AddOptions(CLI::App& app, Input& input) {
  app.add_option("TRACE", input.paths,
                 "trace files or directories (default: the newest run in the default place of `slowtoken run`)");
  AddReadingOptions(app, input);
}

void TracePass::AddReadingOptions(CLI::App& app, Input& input) {
  app.add_option("--run", input.run,
                 "of traces of several runs: this one, its first digits do, or `all` as one (default: the newest)")
      ->type_name("ID");
  app.add_option("--rules", input.rules,
                 "a rule pack of your own: what ranges in the trace mean that were recorded without it (docs/RULES.md)")
      ->type_name("FILE");
}

absl::StatusOr<std::unique_ptr<TracePass>> TracePass::Open(const Input& input, const char* verb) {
  std::vector<std::string> paths = input.paths;
  if (paths.empty()) {
    // Of each run its folder, so that what lies below it (the flight ring) is read as if it had been named.
    for (const std::filesystem::path& folder : FoldersWithTraces(BaseFolder())) paths.push_back(folder.string());
    if (paths.empty()) paths.push_back(BaseFolder().string());
  }
  reader::TraceSet::Options options;
  options.run = input.run;
  options.run_option = input.run_option;
  absl::StatusOr<std::unique_ptr<reader::TraceSet>> traces = reader::TraceSet::Open(paths, options);
  if (!traces.ok()) {
    if (!input.paths.empty()) return traces.status();
    return absl::Status(traces.status().code(),
                        absl::StrCat("no TRACE given, and in the default place ", traces.status().message()));
  }
  if (input.paths.empty() && !input.again) {
    const std::filesystem::path first = (*traces)->processes()[0].path;
    Note(verb, absl::StrCat("no TRACE given; reading ", first.parent_path().string(), AgeOf(first)));
  }
  for (const std::string& notice : (*traces)->notices()) {
    if (!input.again) Note(verb, notice);
  }
  std::unique_ptr<TracePass> pass(new TracePass());
  pass->traces_ = *std::move(traces);
  pass->FindEngines();
  if (absl::Status read = pass->ReadRanges(input.rules); !read.ok()) return read;
  return pass;
}

// Whether rules of packs have something to say about ranges that are left: looked at in the first megabytes, unless the
// user gave a pack; then in everything.
absl::Status TracePass::ReadRanges(const std::string& pack_path) {
  constexpr uint64_t kLookedAt = 8u << 20;
  std::string pack;
  if (!pack_path.empty()) {
    absl::StatusOr<std::string> text = ReadRuleFile(pack_path);
    if (!text.ok()) return text.status();
    pack = *std::move(text);
  }
  std::vector<uint64_t> pids;
  for (const reader::ProcessInfo& process : traces_->processes()) pids.push_back(process.pid);
  const auto make = [&] { return std::make_unique<analysis::LateRules>(traces_->dictionary(), pack, pids); };
  late_rules_ = make();
  for (size_t i = 0; i < traces_->processes().size() && pack.empty(); ++i) {
    const auto enough = [&] { return late_rules_->found() || late_rules_->said_itself(); };
    traces_->Survey(static_cast<record::ProcessIndex>(i), *late_rules_, enough, kLookedAt);
  }
  const bool worth_it = late_rules_->found() || !pack.empty();
  late_rules_ = make();
  if (!worth_it) return absl::OkStatus();
  if (absl::Status read = traces_->Replay(*late_rules_); !read.ok()) return read;
  late_rules_->Settle();
  return absl::OkStatus();
}

// Only where several processes are read: one process is one engine, whatever numbers it uses.
void TracePass::FindEngines() {
  const auto& processes = traces_->processes();
  std::vector<analysis::IterationSurvey> surveys(processes.size() > 1 ? processes.size() : 0);
  for (size_t i = 0; i < surveys.size(); ++i) {
    traces_->Survey(static_cast<record::ProcessIndex>(i), surveys[i], [&] { return surveys[i].full(); });
  }
  scopes_.emplace(surveys);
  engine_notes_ = scopes_->Lines(ProcessNames());
}

std::vector<std::string> TracePass::ProcessNames() const {
  std::vector<std::string> names;
  names.reserve(traces_->processes().size());
  for (const reader::ProcessInfo& process : traces_->processes())
    names.push_back(report::ProcessName(process.role, process.pid));
  return names;
}

void TracePass::Search(RequestSearch& search) const {
  for (size_t i = 0; i < traces_->processes().size() && !search.exact(); ++i) {
    traces_->Survey(
        static_cast<record::ProcessIndex>(i), search, [&] { return search.exact().has_value(); }, UINT64_MAX);
  }
}

absl::Status TracePass::StartEngine(record::EventVisitor& summaries, const ServiceLevels& levels) {
  attribution::EngineConfig config =
      attribution::EngineConfig::Offline(static_cast<uint32_t>(traces_->processes().size()));
  config.slo_ttft_ns = levels.ttft_ns;
  config.slo_itl_ns = levels.itl_ns;
  if (arena_.Reserve(config.ArenaBytes(), false) &&
      engine_.Init(arena_, config, traces_->dictionary(), losses_, summaries)) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError("not enough memory for attribution; free some, or read fewer traces at once");
}

}  // namespace slowtoken::cli
