#include "launch_options.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/env.h"
#include "base/settings.h"
#include "service_levels.h"
#include "trace/flight_settings.h"

namespace slowtoken::cli {
namespace {

// What libslowtoken.so accepts (capture/config.cc).
constexpr uint64_t kLeastMemory = 48u << 20;
constexpr size_t kMostLabelBytes = 511;

// Labels travel in one variable as k=v,k=v.
bool ValidLabel(std::string_view label) {
  const size_t equals = label.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  const auto key_char = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-'; };
  const auto value_char = [](unsigned char c) { return c != ',' && !absl::ascii_iscntrl(c); };
  return std::all_of(label.begin(), label.begin() + static_cast<ptrdiff_t>(equals), key_char) &&
         std::all_of(label.begin() + static_cast<ptrdiff_t>(equals) + 1, label.end(), value_char);
}

}  // namespace

void AddLaunchOptions(CLI::App& app, LaunchOptions& options) {
  app.add_option("-o", options.out, "folder for the traces (default: the run's private folder)")->type_name("DIR");
  app.add_option("--mode", options.mode,
                 "what to write: `metrics` (summaries), `flight` (those, and the last seconds in full detail when "
                 "something was slow), `trace` (everything)")
      ->capture_default_str();
  app.add_option("--graph", options.graph,
                 "CUDA graphs: one record per `launch`, or per `node` (default: node in mode trace, else launch)");
  app.add_option("--slo", options.slo, "what counts as slow, such as ttft:500ms,itl:100ms; flight keeps what led to it")
      ->type_name("LEVELS");
  app.add_option("--flight", options.flight,
                 "bounds of the flight ring and its dumps "
                 "(default: pre:10s,post:2s,every:60s,keep:30s,age:7d,ring:32M,disk:1G)")
      ->type_name("BOUNDS");
  app.add_option("--max-trace", options.max_trace, "size cap of each trace file (K, M, G); then summaries only")
      ->capture_default_str();
  app.add_option(
         "--budget", options.budget,
         "what slowtoken may cost, in percent of one CPU; above it less detail is kept, and the report says when "
         "(default: 1%; in mode trace off)")
      ->type_name("SHARE");
  app.add_option(
         "--sample", options.sample,
         "of the detail keep a part: `iterations:1/10`, or `requests:1/10`, the iterations that compute for one "
         "request in ten")
      ->type_name("UNIT:1/N");
  app.add_option("--ids", options.ids, "request ids: `hash` (pseudonyms) or `clear`")->capture_default_str();
  app.add_option("--sched", options.sched,
                 "the server's threads: each context `switches`, `totals` alone, or `off` (default: switches, unless a "
                 "seccomp filter is installed)");
  app.add_option(
         "--clear-domains", options.clear_domains,
         "NVTX domains whose texts stay readable beside those of known libraries and engines; `threads`: names of "
         "threads; `*`: everything")
      ->type_name("NAME,…");
  app.add_option(
         "--rules", options.rules,
         "a rule pack of your own: what your engine's NVTX texts mean (docs/RULES.md); it comes before those of "
         "known engines")
      ->type_name("FILE");
  app.add_option("--memory", options.memory, "hard cap on the recorder's memory (K, M, G)")->capture_default_str();
  app.add_option("--label", options.labels, "a fact for the report, may be repeated")
      ->type_name("K=V")
      ->take_all()
      ->expected(1);
  app.add_flag(
      "--sim", options.simulated,
      "run on the simulated GPU of a build of the source tree; programs of nvcc -cudart shared run on it unchanged");
}

namespace {

// The mode, what belongs to it, and how much of it.
absl::Status CheckMode(LaunchOptions& options) {
  if (options.mode != "metrics" && options.mode != "flight" && options.mode != "trace") {
    return absl::InvalidArgumentError(
        absl::StrCat("--mode=", options.mode, " is not known; use metrics, flight or trace"));
  }
  if (options.graph.empty()) options.graph = options.mode == "trace" ? "node" : "launch";
  if (absl::Status slo = ParseServiceLevels(options.slo).status(); !slo.ok()) return slo;
  trace::FlightSettings flight;
  std::string_view wrong;
  if (!trace::ParseFlightSettings(options.flight, flight, wrong)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--flight: '", std::string(wrong), "' is not one of pre, post, every, keep, age with a time such as 10s, or ",
        "ring (at least 1M), disk with a size such as 32M"));
  }
  if (!options.budget.empty() && !base::ParseShare(options.budget)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--budget=", options.budget, " is not a share of a CPU such as 1%, or off"));
  }
  if (!options.sample.empty() && !base::ParseSampling(options.sample)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--sample=", options.sample, " is not iterations:1/N or requests:1/N with a number N"));
  }
  options.max_trace_bytes = base::ParseSize(options.max_trace).value_or(0);
  if (options.max_trace_bytes == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max-trace=", options.max_trace, " is not a size such as 500M or 4G"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckLaunchOptions(LaunchOptions& options) {
  if (absl::Status mode = CheckMode(options); !mode.ok()) return mode;
  if (options.graph != "launch" && options.graph != "node") {
    return absl::InvalidArgumentError(absl::StrCat("--graph=", options.graph, " is not known; use launch or node"));
  }
  if (!options.sched.empty() && options.sched != "off" && options.sched != "totals" && options.sched != "switches") {
    return absl::InvalidArgumentError(
        absl::StrCat("--sched=", options.sched, " is not known; use off, totals or switches"));
  }
  if (options.ids != "hash" && options.ids != "clear") {
    return absl::InvalidArgumentError(absl::StrCat("--ids=", options.ids, " is not known; use hash or clear"));
  }
  if (options.clear_domains.size() > kMostLabelBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("--clear-domains: ", options.clear_domains.size(), " bytes are more than ", kMostLabelBytes));
  }
  options.memory_bytes = base::ParseSize(options.memory).value_or(0);
  if (options.memory_bytes < kLeastMemory) {
    return absl::InvalidArgumentError(
        absl::StrCat("--memory=", options.memory, " is not a size of at least 48M, such as 64M or 1G"));
  }
  size_t label_bytes = 0;
  for (const std::string& label : options.labels) {
    label_bytes += label.size() + 1;
    if (!ValidLabel(label)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label ", label, " is not K=V; K is letters, digits, '_', '.', '-', and V has no comma"));
    }
  }
  if (label_bytes > kMostLabelBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("--label: ", label_bytes, " bytes of labels are more than ", kMostLabelBytes));
  }
  return absl::OkStatus();
}

}  // namespace slowtoken::cli
