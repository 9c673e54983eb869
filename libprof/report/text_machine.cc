// Text sections about iterations, launches, devices and kernels.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "analysis/kernel_names.h"
#include "report/device_clocks.h"
#include "report/table.h"
#include "report/text_sections.h"
#include "report/units.h"
#include "report/whole_replays.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;

constexpr int kListedKernels = 10;

std::string OrDash(bool told, uint64_t ns) { return told ? Duration(ns) : "-"; }

std::string CountOrDash(bool told, uint64_t count) { return told ? WithCommas(count) : "-"; }

std::string KindText(const v1::Iteration& iteration) {
  const char* launched = iteration.graph() ? "graph" : "eager";
  return iteration.inferred().empty() ? launched : absl::StrCat(launched, ", ", iteration.inferred());
}

// A device whose UUID is not known is told apart by process and ordinal, "unknown-3-0".
std::string DeviceLabel(const v1::Device& device) {
  if (device.name().empty()) return device.uuid();
  if (device.uuid().starts_with("unknown-")) return absl::StrCat(device.uuid().substr(8), " ", device.name());
  return absl::StrCat(device.name(), " ", device.uuid().substr(0, 8));
}

std::string IterationList(const v1::Iterations& iterations) {
  Table table({{"iteration"},
               {"dp"},
               {"at"},
               {"length"},
               {"GPU"},
               {"kernels"},
               {"kind", Align::kLeft},
               {"prefill"},
               {"tokens"},
               {"decode"},
               {"waiting"}});
  for (const v1::Iteration& i : iterations.list()) {
    table.Add({absl::StrCat(i.iter()), absl::StrCat(i.dp_rank()), Duration(i.start_ns()), Duration(i.dur_ns()),
               OrDash(i.has_gpu_ns(), i.gpu_ns()), WithCommas(i.kernels()), KindText(i),
               CountOrDash(i.has_prefill(), i.prefill()), CountOrDash(i.has_prefill_tok(), i.prefill_tok()),
               CountOrDash(i.has_decode(), i.decode()), CountOrDash(i.has_waiting(), i.waiting())});
  }
  return table.empty() ? "" : "\n" + table.Text();
}

std::string InferredText(const v1::Inferred& inferred) {
  std::string out;
  if (inferred.between_decodes().count() != 0)
    absl::StrAppend(&out, "  apart     ", SpreadText(inferred.between_decodes()), ", from one decode to the next\n");
  return absl::StrCat(out, "  told by launches, graph replays and kernels' names, and so a guess: ",
                      WithCommas(inferred.decode()), " decode, ", WithCommas(inferred.prefill()), " prefill,\n  ",
                      WithCommas(inferred.mixed()), " mix both, ", WithCommas(inferred.unknown()), " cannot be told\n");
}

}  // namespace

std::string IterationsText(const v1::Report& report, const Options& options) {
  const v1::Iterations& iterations = report.iterations();
  if (iterations.count() + iterations.dummy() == 0) return "";
  std::string out = absl::StrCat("\nIterations", iterations.has_inferred() ? " (inferred)" : "", ": ",
                                 WithCommas(iterations.count()), " (", WithCommas(iterations.graph()), " graph, ",
                                 WithCommas(iterations.piecewise()), " piecewise, ", WithCommas(iterations.eager()),
                                 " eager); ", WithCommas(iterations.mixed()), " mix prefill and decode");
  if (iterations.dummy() != 0) absl::StrAppend(&out, "; ", WithCommas(iterations.dummy()), " dummy ones apart");
  if (iterations.batch_unknown() != 0 && !iterations.has_inferred())
    absl::StrAppend(&out, "; batch unknown in ", WithCommas(iterations.batch_unknown()));
  absl::StrAppend(&out, "\n");
  if (iterations.duration().count() != 0)
    absl::StrAppend(&out, "  length    ", SpreadText(iterations.duration()), "\n");
  if (iterations.gpu().count() != 0) absl::StrAppend(&out, "  GPU work  ", SpreadText(iterations.gpu()), "\n");
  if (iterations.has_inferred()) absl::StrAppend(&out, InferredText(iterations.inferred()));
  return out + (options.iterations ? IterationList(iterations) : "");
}

std::string LaunchText(const v1::Report& report) {
  const v1::Launches& launch = report.launch();
  if (launch.api().count() == 0) return "";
  std::string out = absl::StrCat("\nLaunch gap\n  API call  ", SpreadText(launch.api()), "\n");
  if (launch.delay().count() != 0) {
    absl::StrAppend(&out, "  delay     ", SpreadText(launch.delay()),
                    "\n            from the call's return to the kernel's start, in ", WithCommas(launch.delayed()),
                    " launches; ", WithCommas(launch.early()), " began before the return\n",
                    "            (a long one says that the host runs ahead of the GPU, which is good: what the GPU\n",
                    "            waited for the host is its idle time `host`)\n");
  }
  return out;
}

std::string DevicesText(const v1::Report& report, const TextStyle& style) {
  const bool unknown = std::any_of(report.devices().begin(), report.devices().end(),
                                   [](const v1::Device& device) { return device.unknown_ns() != 0; });
  std::vector<Table::Column> columns = {{"device", Align::kLeft, unknown ? 26u : 32u},
                                        {"busy"},
                                        {""},
                                        {"idle"},
                                        {"host"},
                                        {"dependency"},
                                        {"copy"},
                                        {"no work"}};
  if (unknown) columns.push_back({"unknown"});
  Table table(std::move(columns));
  for (const v1::Device& device : report.devices()) {
    if (!device.has_busy_ns()) continue;
    const uint64_t whole = device.busy_ns() + device.idle_ns();
    std::vector<std::string> cells = {DeviceLabel(device),
                                      Duration(device.busy_ns()),
                                      device.has_idle_ns() ? Percent(Share(device.busy_ns(), whole)) : "?",
                                      OrDash(device.has_idle_ns(), device.idle_ns()),
                                      OrDash(device.has_host_ns(), device.host_ns()),
                                      OrDash(device.has_dependency_ns(), device.dependency_ns()),
                                      OrDash(device.has_copy_ns(), device.copy_ns()),
                                      OrDash(device.has_no_work_ns(), device.no_work_ns())};
    if (unknown) cells.push_back(OrDash(device.has_unknown_ns(), device.unknown_ns()));
    table.Add(std::move(cells));
  }
  std::string clocks;
  for (const v1::Device& device : report.devices()) {
    if (std::string line = ClocksLine(device); !line.empty()) absl::StrAppend(&clocks, "  ", Wrap(line, 4, style));
  }
  if (table.empty()) return clocks.empty() ? "" : "\nGPU\n" + clocks;
  const char* note =
      report.coverage().gpu_trusted() ? "" : "  (incomplete: too many GPU records are missing to tell idle time)\n";
  return absl::StrCat("\nGPU busy and idle, from the first to the last GPU work\n", note, table.Text(), clocks);
}

// The largest categories, and always what no rule knows, and replays of whose kernels nothing is known.
std::string CategoriesText(const v1::Report& report) {
  uint64_t total = 0;
  for (const v1::KernelCategory& category : report.kernel_categories()) total += category.total_ns();
  Table table({{"total"}, {"share"}, {"count"}, {"category", Align::kLeft}});
  int listed = 0;
  bool whole_replays = false;
  for (const v1::KernelCategory& category : report.kernel_categories()) {
    whole_replays = whole_replays || category.name() == kWholeReplays;
    if (++listed > kListedKernels && category.name() != "other" && category.name() != kWholeReplays) continue;
    table.Add({Duration(category.total_ns()), Percent(Share(category.total_ns(), total)), WithCommas(category.count()),
               category.name()});
  }
  return table.empty() ? ""
                       : "\nGPU time by category (rules version " + std::to_string(report.kernel_rules_version()) +
                             ")\n" + table.Text() + (whole_replays ? kWholeReplaysNote : "");
}

std::string KernelsText(const v1::Report& report) {
  if (report.kernels().empty()) return CategoriesText(report);
  uint64_t total = 0;
  for (const v1::KernelReport& kernel : report.kernels()) total += kernel.total_ns();
  Table table(
      {{"total"}, {"share"}, {"count"}, {"p50"}, {"max"}, {"category", Align::kLeft}, {"kernel", Align::kLeft, 40}});
  for (int i = 0; i < std::min(report.kernels_size(), kListedKernels); ++i) {
    const v1::KernelReport& kernel = report.kernels(i);
    table.Add({Duration(kernel.total_ns()), Percent(Share(kernel.total_ns(), total)), WithCommas(kernel.count()),
               Duration(kernel.p50_ns()), Duration(kernel.max_ns()), kernel.category(),
               analysis::ShortName(kernel.name())});
  }
  return absl::StrCat("\nTop kernels (", WithCommas(static_cast<uint64_t>(report.kernels_size())), " names)\n",
                      table.Text(), CategoriesText(report));
}

std::string OwnCostText(const v1::Report& report) {
  const v1::Overhead& own = report.overhead();
  if (own.worker_cpu_ns() == 0 && own.memory_bytes() == 0) return "";
  std::string out = absl::StrCat("\nOwn cost: worker ", Duration(own.worker_cpu_ns()), " CPU");
  if (own.callback_ns() != 0) absl::StrAppend(&out, " · call-backs ", Duration(own.callback_ns()));
  if (own.cupti_overhead_ns() != 0) absl::StrAppend(&out, " · CUPTI itself ", Duration(own.cupti_overhead_ns()));
  absl::StrAppend(&out, " · memory ", Bytes(own.memory_bytes()), "\n");
  if (!own.has_share()) return out;
  const bool several = report.coverage().processes_size() > 1;
  return absl::StrCat(out, "  worker and call-backs: ", Percent(own.share()), " of one CPU since the start",
                      several ? " (mean of the processes)" : "", ", without CUPTI\n");
}

}  // namespace slowtoken::report
