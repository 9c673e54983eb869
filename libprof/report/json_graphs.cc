#include "report/json_graphs.h"

namespace slowtoken::report {
namespace {

Json RangesJson(const google::protobuf::RepeatedPtrField<v1::CapturedRange>& ranges) {
  Json out = Json::array();
  for (const v1::CapturedRange& range : ranges) {
    out.push_back({{"path", TextOrNull(range.path())},
                   {"count", range.count()},
                   {"total_ns", range.total_ns()},
                   {"max_ns", range.max_ns()}});
  }
  return out;
}

Json BuildJson(const v1::GraphBuild& build) {
  return {{"kind", build.kind()},     {"count", build.count()},     {"total_ns", build.total_ns()},
          {"max_ns", build.max_ns()}, {"serving", build.serving()}, {"serving_ns", build.serving_ns()}};
}

}  // namespace

Json GraphsJson(const v1::Graphs& graphs) {
  Json opaque = Json::array(), builds = Json::array();
  for (const v1::OpaqueGraphs& sum : graphs.opaque())
    opaque.push_back({{"reason", sum.reason()}, {"graphs", sum.graphs()}, {"total_ns", sum.total_ns()}});
  for (const v1::GraphBuild& build : graphs.builds()) builds.push_back(BuildJson(build));
  const v1::EagerFallback& eager = graphs.eager();
  return {{"ranges", graphs.nodes_told() ? RangesJson(graphs.ranges()) : Json()},
          {"by_shape", graphs.nodes_told() ? RangesJson(graphs.by_shape()) : Json()},
          {"opaque", graphs.nodes_told() ? opaque : Json()},
          {"builds", builds},
          {"eager", graphs.has_eager()
                        ? Json{{"count", eager.count()}, {"of", eager.of()}, {"longer_ns", eager.longer_ns()}}
                        : Json()}};
}

}  // namespace slowtoken::report
