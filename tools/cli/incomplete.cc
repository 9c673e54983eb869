#include "incomplete.h"

#include <absl/strings/str_cat.h>

#include <filesystem>
#include <vector>

#include "analysis/text_safety.h"
#include "report/process_name.h"

namespace slowtoken::cli {
namespace {

std::string ProcessText(const reader::ProcessInfo& process) {
  if (process.role.empty()) return std::filesystem::path(process.path).filename().string();
  return report::ProcessName(process.role, process.pid);
}

}  // namespace

std::string IncompleteText(const reader::TraceSet& traces) {
  std::vector<std::string> missing;
  for (const reader::ProcessInfo& process : traces.processes()) {
    for (const reader::Damage& damage : process.damage)
      missing.push_back(absl::StrCat(ProcessText(process), ": ", damage.Text()));
  }
  for (const std::string& file : traces.unreadable()) missing.push_back(absl::StrCat("not read: ", file));
  if (missing.empty()) return "";
  return absl::StrCat(
      "the trace is incomplete: ", analysis::SafeText(missing[0], 512),
      missing.size() == 1 ? "" : absl::StrCat(" (and ", missing.size() - 1, " more; `slowtoken verify` lists them)"));
}

std::string AndIncomplete(const reader::TraceSet& traces) {
  const std::string text = IncompleteText(traces);
  return text.empty() ? "" : "; " + text;
}

}  // namespace slowtoken::cli
