// Text section about what happened inside graph replays, and where graphs were missed.
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "report/graph_section.h"
#include "report/table.h"
#include "report/text_sections.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;

constexpr int kListedGraphs = 12;

std::string RangesText(const v1::Graphs& graphs) {
  uint64_t whole = 0;
  for (const v1::CapturedRange& range : graphs.by_shape()) whole += range.total_ns();
  for (const v1::OpaqueGraphs& opaque : graphs.opaque()) whole += opaque.total_ns();
  if (whole == 0) return "";
  const auto share = [&](uint64_t ns) { return Percent(static_cast<double>(ns) / static_cast<double>(whole)); };
  Table table({{"total"}, {"share"}, {"nodes"}, {"captured in", Align::kLeft, 60}});
  for (int i = 0; i < std::min(graphs.by_shape_size(), kListedGraphs); ++i) {
    const v1::CapturedRange& range = graphs.by_shape(i);
    table.Add({Duration(range.total_ns()), share(range.total_ns()), WithCommas(range.count()),
               range.path().empty() ? "(no range)" : range.path()});
  }
  std::string out = absl::StrCat("\nInside graph replays, by the ranges they were captured in (# is any number)\n",
                                 table.empty() ? "" : table.Text());
  for (const v1::OpaqueGraphs& opaque : graphs.opaque()) {
    absl::StrAppend(&out, "  opaque: ", WithCommas(opaque.graphs()), opaque.graphs() == 1 ? " graph, " : " graphs, ",
                    Duration(opaque.total_ns()), ": ", OpaqueText(opaque.reason()), "\n");
  }
  return out;
}

std::string BuildText(const v1::GraphBuild& build) {
  return absl::StrCat("  ", build.kind(), ": ", WithCommas(build.serving()), " while serving, ",
                      Duration(build.serving_ns()), "; ", WithCommas(build.count()), " in all\n");
}

}  // namespace

std::string GraphsText(const v1::Report& report) {
  const v1::Graphs& graphs = report.graphs();
  std::string misses;
  if (graphs.eager().count() != 0) {
    absl::StrAppend(&misses, "  ", WithCommas(graphs.eager().count()), " of ", WithCommas(graphs.eager().of()),
                    " decode iterations launched kernel by kernel where a graph is usual");
    if (graphs.eager().longer_ns() != 0)
      absl::StrAppend(&misses, ", in all ", Duration(graphs.eager().longer_ns()), " longer");
    misses += "\n";
  }
  for (const v1::GraphBuild& build : graphs.builds()) {
    if (build.serving() != 0) misses += BuildText(build);
  }
  return RangesText(graphs) + (misses.empty() ? "" : absl::StrCat("\nGraph misses\n", misses));
}

}  // namespace slowtoken::report
