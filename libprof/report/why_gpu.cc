#include <absl/strings/str_cat.h>

#include <algorithm>

#include "report/table.h"
#include "report/units.h"
#include "report/whole_replays.h"
#include "report/why_sections.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;
using Times = std::vector<std::pair<std::string, uint64_t>>;

constexpr size_t kMostGpuKernels = 5;

// The longest, and what the others add up to.
std::string LongestText(const Times& times, const char* header, const WhyOptions& options) {
  if (times.empty()) return "";
  Table table({{"time"}, {header, Align::kLeft, 60}});
  uint64_t left_out = 0;
  for (const auto& [name, ns] : times) {
    if (options.all || table.size() < kMostGpuKernels) {
      table.Add({Duration(ns), name});
    } else {
      left_out += ns;
    }
  }
  if (left_out != 0)
    table.Add({Duration(left_out), absl::StrCat("in ", times.size() - table.size(), " others", kShowAll)});
  return table.Text();
}

}  // namespace

std::string GpuBusyText(const Moment& moment) {
  const uint64_t whole = moment.window().end - moment.window().start, graphs = moment.GraphBusyNs();
  return absl::StrCat("busy for ", Duration(moment.GpuBusyNs()), " of ", Duration(whole),
                      graphs == 0 ? "" : absl::StrCat(", of it ", Duration(graphs), " inside graph replays"));
}

std::string GpuText(const Moment& moment, const WhyOptions& options) {
  const std::string out = absl::StrCat("\nGPU: ", GpuBusyText(moment), "\n");
  Times kernels = moment.TopKernels();
  if (const uint64_t replays = moment.WholeReplaysNs(); replays != 0) {
    kernels.emplace_back(kWholeReplays, replays);
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return absl::StrCat(out, LongestText(kernels, "kernel", options), kWholeReplaysNote);
  }
  return absl::StrCat(out, LongestText(kernels, "kernel", options),
                      LongestText(moment.TopCapturedRanges(), "inside graph replays, captured in", options));
}

}  // namespace slowtoken::report
