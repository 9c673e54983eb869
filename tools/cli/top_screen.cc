#include "top_screen.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "analysis/text_safety.h"
#include "report/units.h"

namespace slowtoken::cli {
namespace {

using report::Duration;
using report::Percent;

constexpr size_t kTwoColumns = 76;  // from this width on TTFT and ITL stand side by side

std::string PadRight(const std::string& text, size_t columns) {
  const size_t has = analysis::Columns(text);
  return has < columns ? text + std::string(columns - has, ' ') : text;
}

std::string PadLeft(const std::string& text, size_t columns) {
  const size_t has = analysis::Columns(text);
  return has < columns ? std::string(columns - has, ' ') + text : text;
}

std::string PhaseRow(const std::string& name, const std::string& p50, const std::string& p99) {
  return absl::StrCat(PadRight(name, 20), PadLeft(p50, 8), " ", PadLeft(p99, 8));
}

std::vector<std::string> LatencyRows(const char* title, const TopLatency& latency, size_t most_phases) {
  std::vector<std::string> rows = {
      PhaseRow(absl::StrCat(title, ", ", report::WithCommas(latency.count)), "p50", "p99")};
  if (latency.count == 0) return rows;
  rows.push_back(PhaseRow("all", Duration(latency.p50_ns), Duration(latency.p99_ns)));
  for (size_t i = 0; i < latency.phases.size() && i < most_phases; ++i) {
    const TopPhase& phase = latency.phases[i];
    rows.push_back(PhaseRow(absl::StrCat(" ", phase.name), Duration(phase.p50_ns), Duration(phase.p99_ns)));
  }
  if (latency.phases.size() > most_phases)
    rows.push_back(absl::StrCat(" and ", latency.phases.size() - most_phases, " smaller"));
  return rows;
}

void AddLatencies(const TopRun& run, size_t width, size_t most_phases, std::vector<std::string>& lines) {
  const std::vector<std::string> ttft = LatencyRows("TTFT", run.ttft, most_phases);
  const std::vector<std::string> itl = LatencyRows("ITL", run.itl, most_phases);
  if (width < kTwoColumns) {
    for (const auto* rows : {&ttft, &itl}) {
      for (const std::string& row : *rows) lines.push_back(absl::StrCat("  ", row));
    }
    return;
  }
  for (size_t i = 0; i < std::max(ttft.size(), itl.size()); ++i) {
    lines.push_back(absl::StrCat("  ", i < itl.size() ? PadRight(i < ttft.size() ? ttft[i] : "", 38) : ttft[i],
                                 i < itl.size() ? itl[i] : ""));
  }
}

std::string Traffic(const TopRun& run) {
  if (!run.requests_per_s) return "no requests seen";
  std::vector<std::string> stalls;
  for (const auto& [cause, count] : run.stalls) {
    if (count != 0) stalls.push_back(absl::StrCat(cause, " ", report::WithCommas(count)));
  }
  return absl::StrCat(report::Rate(*run.requests_per_s), " requests/s · ", report::Rate(*run.tokens_per_s),
                      " tokens/s · stalls: ", stalls.empty() ? "none" : absl::StrJoin(stalls, ", "));
}

std::string Device(const TopDevice& device) {
  std::string text = absl::StrCat(analysis::CutToColumns(device.name, 13), " busy ", Percent(device.busy));
  for (const auto& [reason, share] : device.idle) absl::StrAppend(&text, " · ", reason, " ", Percent(share));
  return text;
}

std::string Recorder(const TopRun& run) {
  std::vector<std::string> blind;
  for (const auto& [reason, ns] : run.blind_ns) {
    if (ns != 0) blind.push_back(absl::StrCat(reason, " ", Duration(ns)));
  }
  return absl::StrCat("dropped ", report::WithCommas(run.dropped), " · blind ",
                      blind.empty() ? "never" : absl::StrJoin(blind, ", "), " · own cost ", Percent(run.own_cost),
                      run.budget > 0 ? absl::StrCat(" of ", Percent(run.budget)) : "", " CPU, ",
                      report::Bytes(run.memory_bytes));
}

std::vector<std::string> RunLines(const TopRun& run, size_t width, size_t most_phases) {
  std::vector<std::string> lines;
  lines.push_back(absl::StrCat("run ", run.run_id, "  ", run.since_start ? "since the start, " : "last ",
                               Duration(static_cast<uint64_t>(run.seconds * 1e9))));
  for (const std::string& process : run.processes) lines.push_back(absl::StrCat("  ", process));
  lines.push_back(absl::StrCat("  ", Traffic(run)));
  if (run.requests_per_s) AddLatencies(run, width, most_phases, lines);
  if (run.launches != 0) {
    lines.push_back(absl::StrCat("  launches ", report::WithCommas(run.launches), " · delay p50 ",
                                 Duration(run.launch_delay_p50_ns), ", p99 ", Duration(run.launch_delay_p99_ns)));
  }
  for (const TopDevice& device : run.devices) lines.push_back(absl::StrCat("  ", Device(device)));
  lines.push_back(absl::StrCat("  ", Recorder(run)));
  return lines;
}

}  // namespace

std::vector<std::string> TopLines(const std::vector<TopRun>& runs, const std::string& head, const TopSize& size) {
  constexpr size_t kMostPhases = 15;
  std::vector<std::string> lines;
  for (size_t phases = kMostPhases;; --phases) {
    lines = {head};
    for (const TopRun& run : runs) {
      for (std::string& line : RunLines(run, size.width, phases)) lines.push_back(std::move(line));
    }
    if (size.height == 0 || lines.size() <= size.height || phases == 0) break;
  }
  if (size.height != 0 && lines.size() > size.height) {
    const size_t hidden = lines.size() - size.height + 1;
    lines.resize(size.height - 1);
    lines.push_back(absl::StrCat("… ", hidden, " more lines: make the window higher"));
  }
  for (std::string& line : lines) line = analysis::CutToColumns(line, size.width);
  return lines;
}

}  // namespace slowtoken::cli
