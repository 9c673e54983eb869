// What the report makes of graphs: captured ranges and graph misses.
#include "report/graph_section.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenario.h"

namespace slowtoken::report {
namespace {

TEST(GraphSection, WithoutGraphNodesTheInsideIsNull) {
  const nlohmann::json report = nlohmann::json::parse(testing::JsonText(testing::Whole({}), {}));
  EXPECT_TRUE(report["graphs"]["ranges"].is_null());
  EXPECT_TRUE(report["graphs"]["opaque"].is_null());
}

TEST(GraphSection, GraphsWithoutACaptureAreOpaqueWithTheirTime) {
  testing::Scenario scenario({});
  scenario.PlayEvents(true);
  for (uint32_t node = 1; node <= 3; ++node) {
    const record::TimeNs at = testing::Scenario::kStart + 300'000'000 + node * 1'000;
    record::Kernel kernel =
        testing::KernelAt(5000, at, at + 700, scenario.dictionary().Shape("node"), scenario.dictionary().Lane(7, 1), 1);
    kernel.graph_id = 5;
    kernel.graph_node_id = node;
    scenario.events().On(kernel);
  }
  const v1::Graphs graphs = scenario.Build().graphs();
  ASSERT_EQ(graphs.opaque_size(), 1);
  EXPECT_EQ(graphs.opaque(0).reason(), "no_capture");
  EXPECT_EQ(graphs.opaque(0).graphs(), 1u);
  EXPECT_EQ(graphs.opaque(0).total_ns(), 2'100u);
  EXPECT_TRUE(graphs.ranges().empty());
}

record::IterationSummary Decode(uint32_t rows, uint64_t length, bool graph) {
  record::IterationSummary iteration;
  iteration.start = 1'000'000;
  iteration.end = iteration.start + length;
  iteration.batch_known = true;
  iteration.decode_rows = rows;
  iteration.graph = graph;
  if (!graph) iteration.kernels = 30;
  return iteration;
}

TEST(EagerFallbacks, CountWhereTheSizeUsuallyReplaysAGraph) {
  EagerFallbacks fallbacks;
  for (int i = 0; i < 9; ++i) fallbacks.Add(Decode(5, 100, true));
  fallbacks.Add(Decode(6, 400, false));
  fallbacks.Add(Decode(7, 90, false));
  for (int i = 0; i < 20; ++i) fallbacks.Add(Decode(200, 300, false));  // too large for a graph: as always
  record::IterationSummary prefill = Decode(5, 900, false);
  prefill.prefill_rows = 1;
  fallbacks.Add(prefill);
  record::IterationSummary unseen = Decode(5, 900, false);
  unseen.kernels = 0;  // its records were lost: nobody knows how it ran
  fallbacks.Add(unseen);
  v1::Graphs graphs;
  fallbacks.Fill(graphs);
  EXPECT_EQ(graphs.eager().count(), 2u);
  EXPECT_EQ(graphs.eager().of(), 11u);
  EXPECT_EQ(graphs.eager().longer_ns(), 400u + 90 - 200);
}

TEST(EagerFallbacks, NothingIsSaidWhereNoSizeUsuallyDoes) {
  EagerFallbacks fallbacks;
  for (int i = 0; i < 7; ++i) fallbacks.Add(Decode(5, 100, true));
  v1::Graphs graphs;
  fallbacks.Fill(graphs);
  EXPECT_FALSE(graphs.has_eager());
}

}  // namespace
}  // namespace slowtoken::report
