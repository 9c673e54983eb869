// slowtoken verify TRACE…: is everything in the files there and undamaged, and what was lost while recording.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>

#include "analysis/text_safety.h"
#include "analysis/trace_analysis.h"
#include "base/loss.h"
#include "reader/trace_choice.h"
#include "record/conditions.h"
#include "report/process_name.h"
#include "report/units.h"
#include "trace_pass.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kVerifyVerb = {
    "verify",
    "Checks traces: integrity, losses, coverage. Exit code 1 if bytes inside are damaged; a trace whose process was "
    "killed is whole up to its last chunk.",
    Verify};
constexpr const char* kVerifyExamples =
    "  slowtoken verify traces\n  slowtoken verify traces/engine-4711-0a1b2c3d.stt\n";

constexpr size_t kShownOfAKind = 3;

// What attribution concludes is not asked for here.
class Unread final : public record::EventVisitor {};

const char* LossText(const std::string& cause) {
  for (size_t i = 0; i < base::kLossCount; ++i) {
    if (cause == base::kLossNames[i]) return base::kLossTexts[i];
  }
  return "a loss that a later version of slowtoken counts";
}

const char* Verdict(const reader::ProcessInfo& process) {
  if (process.HasInsideDamage()) return "DAMAGED";
  if (!process.clean_end && process.IsRunning()) return "whole up to its last chunk; its process is still running";
  if (!process.clean_end) return "whole up to its last chunk; its process was killed, or the file was cut";
  return process.damage_count != 0 ? "whole, with gaps that the writer itself counted" : "whole";
}

// Traces of other tools do not say what their recorder dropped.
bool IsImported(const analysis::TraceAnalysis& analysis) {
  return analysis.surroundings().Values().contains(record::kImportedFrom);
}

void PrintProcess(const reader::ProcessInfo& process, bool imported) {
  std::cout << analysis::SafeText(std::filesystem::path(process.path).filename().string(), 256)
            << (process.files > 1 ? absl::StrCat(" and ", process.files - 1, " more of this process") : "") << ": "
            << Verdict(process) << "\n";
  const std::string who = process.role.empty() ? "an unknown process" : report::ProcessName(process.role, process.pid);
  std::cout << absl::StrFormat("  %s, %s in %s chunks, format %d, written by slowtoken %s\n", who,
                               report::Bytes(process.file_bytes), report::WithCommas(process.chunks),
                               process.format_version,
                               process.writer_version.empty() ? "?" : analysis::SafeText(process.writer_version, 64));
  std::map<std::string, size_t> more;  // kinds of damage that come again and again
  std::map<std::string, size_t> shown;
  for (const reader::Damage& damage : process.damage) {
    if (++shown[damage.KindText()] <= kShownOfAKind) {
      std::cout << "  ! " << analysis::SafeText(damage.Text(), 512) << "\n";
    } else {
      ++more[damage.KindText()];
    }
  }
  for (const auto& [kind, count] : more)
    std::cout << "  ! and " << report::WithCommas(count) << " more: " << kind << "\n";
  if (process.damage_count > process.damage.size()) {
    std::cout << "  ! and " << report::WithCommas(process.damage_count - process.damage.size()) << " more\n";
  }
  for (const auto& [cause, count] : process.losses) {
    std::cout << "  dropped " << analysis::SafeText(cause, 64) << " " << report::WithCommas(count) << ": "
              << LossText(cause) << "\n";
  }
  if (process.losses.empty()) {
    std::cout << (imported ? "  imported: what its recorder dropped is not known\n"
                           : "  nothing was dropped while recording\n");
  }
}

void PrintCoverage(const analysis::TraceAnalysis& analysis) {
  const analysis::LaunchStats& stats = analysis.launch_stats();
  const auto& counts = analysis.counts();
  std::cout << "coverage: " << report::WithCommas(counts.kernels + counts.graph_replays)
            << " kernels and graph replays, " << report::WithCommas(stats.launches()) << " launches, "
            << report::WithCommas(stats.launches() - stats.matched()) << " of them without GPU record\n";
  if (counts.kernels + counts.graph_replays == 0 && stats.launches() != 0) {
    std::cout << "  ! NO KERNELS were recorded although launches were seen; `slowtoken report` says why\n";
  }
  if (const uint64_t missing = analysis.graph_nodes().missing(); missing != 0) {
    std::cout << "  ! graph replays lack about " << report::WithCommas(missing) << " records\n";
  }
}

}  // namespace

int Verify(const Arguments& arguments) {
  TracePass::Input input{.paths = {}, .run = reader::kAllRuns};
  VerbApp app(kVerifyVerb, kVerifyExamples);
  app.add_option("TRACE", input.paths, "trace files or directories")->required();
  if (auto code = app.Parse(arguments)) return *code;
  const absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(input, "verify");
  if (!pass.ok()) return Fail("verify", pass.status(), kUnreadable);
  const reader::TraceSet& traces = (*pass)->traces();
  analysis::TraceAnalysis analysis(traces.dictionary());
  (*pass)->Tell(analysis);
  Unread conclusions;
  if (absl::Status read = (*pass)->Run(analysis, conclusions, {}, "verify"); !read.ok())
    return Fail("verify", read, kUnreadable);
  analysis.Finish();
  const auto& processes = traces.processes();
  for (const reader::ProcessInfo& process : processes) PrintProcess(process, IsImported(analysis));
  for (const std::string& file : traces.unreadable())
    std::cout << "  ! NOT READ " << analysis::SafeText(file, 512) << "\n";
  PrintCoverage(analysis);
  const bool damaged =
      !traces.unreadable().empty() ||
      std::any_of(processes.begin(), processes.end(), [](const auto& process) { return process.HasInsideDamage(); });
  return damaged ? kNo : kDone;
}

}  // namespace slowtoken::cli
