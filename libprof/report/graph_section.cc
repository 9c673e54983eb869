#include "report/graph_section.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "analysis/graph_paths.h"
#include "analysis/interval.h"

namespace slowtoken::report {
namespace {

using Rows = google::protobuf::RepeatedPtrField<v1::CapturedRange>;
using ByPath = std::map<std::string, v1::CapturedRange>;

constexpr int kMostRanges = 500;

void Add(const std::string& path, const v1::CapturedRange& more, ByPath& sums) {
  v1::CapturedRange& sum = sums[path];
  sum.set_path(path);
  sum.set_count(sum.count() + more.count());
  sum.set_total_ns(sum.total_ns() + more.total_ns());
  sum.set_max_ns(std::max(sum.max_ns(), more.max_ns()));
}

v1::CapturedRange RowOf(const analysis::GraphReplays::NodeTime& time) {
  v1::CapturedRange row;
  row.set_count(time.count);
  row.set_total_ns(time.total_ns);
  row.set_max_ns(time.max_ns);
  return row;
}

void Rank(const ByPath& sums, Rows& out) {
  for (const auto& [path, row] : sums) *out.Add() = row;
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.total_ns() > b.total_ns(); });
  if (out.size() > kMostRanges) out.DeleteSubrange(kMostRanges, out.size() - kMostRanges);
}

void FillBuilds(const analysis::GraphBuilds& builds, v1::Graphs& graphs) {
  const auto sums = builds.Sums();
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count == 0) continue;
    v1::GraphBuild& out = *graphs.add_builds();
    out.set_kind(analysis::kBuildNames[i]);
    out.set_count(sums[i].count);
    out.set_total_ns(sums[i].total_ns);
    out.set_max_ns(sums[i].max_ns);
    out.set_serving(sums[i].serving);
    out.set_serving_ns(sums[i].serving_ns);
  }
}

}  // namespace

void EagerFallbacks::Add(const record::IterationSummary& iteration) {
  const bool decodes = iteration.batch_known && iteration.prefill_rows == 0 && iteration.decode_rows != 0;
  if (iteration.dummy || !decodes || !analysis::IsInterval(iteration.start, iteration.end)) return;
  if (!iteration.graph && iteration.kernels == 0) return;  // nothing of its GPU work was recorded: who knows how it ran
  Class& size = classes_[static_cast<size_t>(std::bit_width(iteration.decode_rows))];
  (iteration.graph ? size.with_graph : size.eager).Add(iteration.end - iteration.start);
}

void EagerFallbacks::Fill(v1::Graphs& graphs) const {
  for (const Class& size : classes_) {
    if (!size.ReplaysGraphs()) continue;
    v1::EagerFallback& out = *graphs.mutable_eager();
    out.set_count(out.count() + size.eager.count());
    out.set_of(out.of() + size.eager.count() + size.with_graph.count());
    const uint64_t usual = size.with_graph.Quantile(0.5) * size.eager.count();
    if (size.eager.sum() > usual) out.set_longer_ns(out.longer_ns() + size.eager.sum() - usual);
  }
}

void FillGraphs(const analysis::TraceAnalysis& analysis, v1::Graphs& graphs) {
  const analysis::CapturedRanges& captured = analysis.captured_ranges();
  graphs.set_nodes_told(!captured.graphs().empty());
  ByPath by_path, by_shape;
  std::map<analysis::Opaque, v1::OpaqueGraphs> opaque;
  for (const auto& [key, graph] : captured.graphs()) {
    for (const auto& [node, time] : captured.replays().graphs().at(key).nodes) {
      if (graph.opaque != analysis::Opaque::kNo) {
        v1::OpaqueGraphs& sum = opaque[graph.opaque];
        sum.set_total_ns(sum.total_ns() + time.total_ns);
        continue;
      }
      const std::string path = analysis::PathText(graph.paths.at(node), analysis.dictionary());
      Add(path, RowOf(time), by_path);
      Add(analysis::WithoutNumbers(path), RowOf(time), by_shape);
    }
    if (graph.opaque != analysis::Opaque::kNo) opaque[graph.opaque].set_graphs(opaque[graph.opaque].graphs() + 1);
  }
  Rank(by_path, *graphs.mutable_ranges());
  Rank(by_shape, *graphs.mutable_by_shape());
  for (auto& [reason, sum] : opaque) {
    sum.set_reason(analysis::kOpaqueNames[static_cast<size_t>(reason)]);
    *graphs.add_opaque() = sum;
  }
  FillBuilds(analysis.graph_builds(), graphs);
}

const char* OpaqueText(const std::string& reason) {
  if (reason == "no_capture") return "captured before recording began, or built node by node";
  if (reason == "not_recorded") return "no replay was recorded whole, or replays differ in their order";
  if (reason == "no_match") return "no capture that was recorded has their nodes";
  if (reason == "branches") return "captured from several streams, or with graphs inside";
  return "captures that fit were made under different ranges";
}

}  // namespace slowtoken::report
