#include "launch_options.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/env.h"

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
  app.add_option("--mode", options.mode, "what to record; this version has `trace`")->capture_default_str();
  app.add_option("--graph", options.graph, "CUDA graphs: one record per `launch`, or per `node`")
      ->capture_default_str();
  app.add_option("--ids", options.ids, "request ids: `hash` (pseudonyms) or `clear`")->capture_default_str();
  app.add_option("--memory", options.memory, "hard cap on the recorder's memory (K, M, G)")->capture_default_str();
  app.add_option("--label", options.labels, "a fact for the report, may be repeated")
      ->type_name("K=V")
      ->take_all()
      ->expected(1);
  app.add_flag("--sim", options.simulated, "run on the simulated GPU that comes with slowtoken");
}

absl::Status CheckLaunchOptions(LaunchOptions& options) {
  if (options.mode != "trace") {
    return absl::InvalidArgumentError(
        absl::StrCat("--mode=", options.mode, " does not exist in this version; use --mode=trace"));
  }
  if (options.graph != "launch" && options.graph != "node") {
    return absl::InvalidArgumentError(absl::StrCat("--graph=", options.graph, " is not known; use launch or node"));
  }
  if (options.ids != "hash" && options.ids != "clear") {
    return absl::InvalidArgumentError(absl::StrCat("--ids=", options.ids, " is not known; use hash or clear"));
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
