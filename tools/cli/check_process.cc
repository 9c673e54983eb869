// doctor --pid: one process as it is, one line each.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "base/known_tools.h"
#include "finding.h"
#include "places.h"
#include "process_view.h"

namespace slowtoken::cli {
namespace {

using State = Finding::State;

constexpr const char* kVariables[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "NCCL_PROFILER_PLUGIN",
                                      "LD_PRELOAD"};

bool AnyDeleted(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (file.ends_with(" (deleted)")) return true;
  }
  return false;
}

// Bug log row 63: of two copies of a library only one is the host's, and a tool that opens the other sees nothing.
Finding Library(const ProcessView& process, const char* prefix, const char* absent) {
  const std::vector<std::string> files = process.Mapped(prefix);
  if (files.empty()) return {prefix, State::kOk, absl::StrCat("not mapped: ", absent), ""};
  const std::string text = absl::StrJoin(files, ", ");
  if (files.size() > 1) {
    return {prefix, State::kWarning, absl::StrCat(files.size(), " copies: ", text),
            "take the folder of one of them out of LD_LIBRARY_PATH"};
  }
  if (AnyDeleted(files)) return {prefix, State::kWarning, text, "the file was replaced since: restart the process"};
  return {prefix, State::kOk, text, ""};
}

Finding Variable(const ProcessView& process, const char* name, const std::filesystem::path& own) {
  if (!process.IsSet(name)) return {name, State::kOk, "not set when the process was started", ""};
  if (process.Names(name, own)) return {name, State::kOk, "names slowtoken", ""};
  return {name, State::kOk, "set, to something else", ""};
}

std::vector<std::string> MappedTools(const ProcessView& process) {
  std::vector<std::string> names;
  for (const base::KnownTool& tool : base::kCuptiTools) {
    if (!process.Mapped(tool.library).empty() && (names.empty() || names.back() != tool.name))
      names.emplace_back(tool.name);
  }
  return names;
}

// CUPTI tells nobody outside who holds it; a trace of the process does (`coverage.sources`).
Finding CuptiSlot(const ProcessView& process, const std::filesystem::path& own) {
  const std::string tools = absl::StrJoin(MappedTools(process), ", ");
  const bool ours = !process.Mapped(own.filename().string()).empty();
  if (process.Mapped("libcupti.so").empty()) {
    return {"CUPTI slot", State::kOk,
            tools.empty() ? "free: CUPTI is not mapped" : absl::StrCat("mapped there: ", tools), ""};
  }
  if (!tools.empty()) {
    return {"CUPTI slot", State::kWarning,
            absl::StrCat(ours ? "slowtoken's while none of these uses it: " : "one of these, if it is active: ", tools),
            "blind intervals are in the report (coverage.blind_by)"};
  }
  return {"CUPTI slot", State::kOk, ours ? "slowtoken" : "a tool unknown to slowtoken", ""};
}

// By the variable that leads there, or the preloaded library that sets it inside the process.
Finding InjectionSlot(const ProcessView& process, const char* what, const char* variable,
                      const std::filesystem::path& own) {
  if (process.Names(variable, own)) return {what, State::kOk, "slowtoken", ""};
  if (process.IsSet(variable)) {
    return {what, State::kWarning, absl::StrCat("another tool's, by ", variable),
            absl::StrCat("unset ", variable, " to let slowtoken in")};
  }
  if (process.Names("LD_PRELOAD", own)) return {what, State::kOk, "slowtoken, by LD_PRELOAD", ""};
  return {what, State::kOk, "free", ""};
}

Finding NcclSlot(const ProcessView& process, const std::filesystem::path& own) {
  Finding slot = InjectionSlot(process, "NCCL slot", "NCCL_PROFILER_PLUGIN", own);
  if (slot.text != "free" && slot.state == State::kOk && !process.Names("NCCL_PROFILER_PLUGIN", own))
    slot.text = "free";
  const std::vector<std::string> plugins = process.Mapped("libnccl-profiler");
  if (!plugins.empty()) {
    return {"NCCL slot", State::kWarning, absl::StrCat("a profiler plugin is mapped: ", absl::StrJoin(plugins, ", ")),
            "collectives are that tool's"};
  }
  return slot;
}

}  // namespace

absl::StatusOr<std::vector<Finding>> CheckProcess(int pid) {
  absl::StatusOr<ProcessView> process = ProcessView::Of(pid);
  if (!process.ok()) return process.status();
  const std::filesystem::path own = FindInstallation().library;
  std::vector<Finding> findings = {
      Library(*process, "libslowtoken.so", "this process is not recorded"),
      Library(*process, "libcuda.so", "no CUDA driver is in use"),
      Library(*process, "libcudart.so", "the CUDA runtime is linked statically, or not used"),
      Library(*process, "libcupti.so", "nothing records GPU work"),
      Library(*process, "libnccl.so", "NCCL is linked statically, or not used"),
  };
  for (const char* variable : kVariables) findings.push_back(Variable(*process, variable, own));
  findings.push_back(CuptiSlot(*process, own));
  findings.push_back(InjectionSlot(*process, "NVTX slot", "NVTX_INJECTION64_PATH", own));
  findings.push_back(NcclSlot(*process, own));
  return findings;
}

}  // namespace slowtoken::cli
