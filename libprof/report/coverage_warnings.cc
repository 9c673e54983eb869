#include "report/coverage_warnings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/text_safety.h"
#include "base/loss.h"
#include "record/session_events.h"
#include "report/process_name.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using Lines = std::vector<std::string>;

bool Lacks(const v1::Coverage& coverage, const char* word) {
  return std::find(coverage.missing().begin(), coverage.missing().end(), word) != coverage.missing().end();
}

// One line why there are no kernels, as the recorders found out. A process that never came to CUDA says `unknown`: the
// reason of one that did counts more.
std::string WhySilent(const v1::Coverage& coverage) {
  std::string why;
  for (const v1::Source& source : coverage.sources()) {
    if (source.source() != "cupti" || source.state() == "active") continue;
    const std::string detail = source.detail().empty() ? "run `slowtoken doctor` on that machine" : source.detail();
    if (why.empty() || source.state() != "unknown") why = absl::StrCat("CUPTI: ", source.state(), ": ", detail);
    if (source.state() != "unknown") break;
  }
  if (!why.empty()) return why;
  return "CUPTI gave no reason: another tool may hold it, or the driver was initialised before slowtoken; run "
         "`slowtoken "
         "doctor`";
}

// Bug log row 35: a session that returns success with no kernels must not look like an idle GPU.
void AddZeroKernels(const v1::Coverage& coverage, Lines& lines) {
  if (!Lacks(coverage, "gpu_records") || Lacks(coverage, "detail")) return;  // where none is kept, none is missed
  if (coverage.launches() != 0) {
    lines.push_back(absl::StrCat("NO KERNELS were recorded although ", WithCommas(coverage.launches()),
                                 " launches were seen: GPU figures are missing, not zero"));
  } else {
    lines.push_back("No GPU work was recorded: phases that need it are taken from the host's ranges");
  }
  lines.push_back(WhySilent(coverage));
}

void AddMissingWork(const v1::Coverage& coverage, Lines& lines) {
  if (Lacks(coverage, "gpu_records")) return;
  const uint64_t unmatched = coverage.launches() - coverage.launches_matched();
  if (!coverage.gpu_trusted() && !coverage.sampled())
    lines.push_back("INCOMPLETE: too many GPU records are missing to tell how busy the GPU was");
  if (unmatched != 0) {
    lines.push_back(
        absl::StrCat(WithCommas(unmatched), " of ", WithCommas(coverage.launches()), " launches have no GPU record"));
  }
  if (coverage.graph_nodes_missing() != 0) {
    lines.push_back(
        absl::StrCat("graph replays lack about ", WithCommas(coverage.graph_nodes_missing()),
                     " records that other replays of the same graph have (or their nodes are conditional)"));
  }
  if (coverage.without_call() != 0) {
    lines.push_back(absl::StrCat(WithCommas(coverage.without_call()), " GPU records have no recorded launch"));
  }
  if (coverage.untimed() != 0) {
    lines.push_back(
        absl::StrCat(WithCommas(coverage.untimed()), " GPU records have no usable time; they are counted, not summed"));
  }
  for (const v1::NamedCount& blind : coverage.blind_by()) {
    const auto reason =
        std::find(std::begin(record::kBlindReasonNames), std::end(record::kBlindReasonNames), blind.name());
    lines.push_back(absl::StrCat("GPU records were not taken for ", Duration(blind.count()), ": ",
                                 record::kBlindReasonTexts[reason - std::begin(record::kBlindReasonNames)]));
  }
}

std::string LossText(std::string_view cause) {
  const bool reading = cause.starts_with(kReadingPrefix);
  if (reading) cause.remove_prefix(std::string_view(kReadingPrefix).size());
  const auto known = std::find(std::begin(base::kLossNames), std::end(base::kLossNames), cause);
  if (known == std::end(base::kLossNames)) return "a loss that a later version of slowtoken counts";
  return absl::StrCat(reading ? "while reading this trace: " : "",
                      base::kLossTexts[known - std::begin(base::kLossNames)]);
}

void AddDrops(const v1::Coverage& coverage, Lines& lines) {
  for (const v1::NamedCount& dropped : coverage.dropped()) {
    lines.push_back(
        absl::StrCat("dropped ", dropped.name(), " ", WithCommas(dropped.count()), ": ", LossText(dropped.name())));
  }
}

std::string NameOf(const reader::ProcessInfo& process) {
  return process.role.empty() ? std::filesystem::path(process.path).filename().string()
                              : ProcessName(process.role, process.pid);
}

// What an engine wrote instead: a sample is worth more than the count.
void AddMalformed(const v1::Coverage& coverage, Lines& lines) {
  if (coverage.malformed().empty()) return;
  std::vector<std::string> shapes;
  for (const v1::NamedCount& shape : coverage.malformed())
    shapes.push_back(
        absl::StrCat("`", shape.name(), "`", shape.count() > 1 ? absl::StrCat(" (", shape.count(), ")") : ""));
  lines.push_back(absl::StrCat("llmserve texts that do not parse, without their values (`?`: not what belongs there): ",
                               absl::StrJoin(shapes, ", ")));
}

void AddFiles(const v1::Coverage& coverage, const std::vector<reader::ProcessInfo>& processes, Lines& lines) {
  for (const reader::ProcessInfo& process : processes) {
    for (size_t i = 0; i < std::min<size_t>(process.damage.size(), 3); ++i) {
      lines.push_back(analysis::SafeText(absl::StrCat(NameOf(process), ": ", process.damage[i].Text()), 512));
    }
    if (process.damage_count > 3) {
      lines.push_back(absl::StrCat(NameOf(process), ": ", process.damage_count - 3,
                                   " more kinds of damage; `slowtoken verify` lists them"));
    }
  }
  for (const std::string& engines : coverage.engines_kept_apart()) lines.push_back(engines);
  for (const std::string& file : coverage.unreadable()) lines.push_back(absl::StrCat("not read: ", file));
  std::set<std::string> runs, boots;
  for (const reader::ProcessInfo& process : processes) {
    if (process.role.empty()) continue;  // not one chunk can be read
    runs.insert(process.run_id);
    boots.insert(process.boot_id);
  }
  if (runs.size() > 1)
    lines.push_back(absl::StrCat("these are traces of ", runs.size(), " runs, read as if they were one"));
  if (boots.size() > 1)
    lines.push_back("these are traces of several hosts: their clocks are not aligned by this version");
  const bool unjoinable =
      std::any_of(processes.begin(), processes.end(), [](const auto& p) { return !p.role.empty() && !p.ids_joinable; });
  if (processes.size() > 1 && unjoinable) {
    lines.push_back(
        "request ids of some processes cannot be joined: start all of them with one SLOWTOKEN_KEY (`slowtoken run`)");
  }
  if (Lacks(coverage, "requests") && !Lacks(coverage, "gpu_records"))
    lines.push_back("no requests were recorded: TTFT and ITL cannot be told");
}

}  // namespace

std::vector<std::string> CoverageWarnings(const v1::Coverage& coverage,
                                          const std::vector<reader::ProcessInfo>& processes) {
  Lines lines;
  AddZeroKernels(coverage, lines);
  AddMissingWork(coverage, lines);
  AddDrops(coverage, lines);
  AddMalformed(coverage, lines);
  AddFiles(coverage, processes, lines);
  return lines;
}

}  // namespace slowtoken::report
