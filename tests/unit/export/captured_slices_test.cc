// What graph nodes were captured in, as a viewer shows it.
#include <gtest/gtest.h>

#include <sstream>

#include "../analysis/events.h"
#include "analysis/graph_path_survey.h"
#include "export/perfetto_export.h"
#include "viewer.h"

namespace slowtoken::exporting {
namespace {

using record::TimeNs;
using testing::ShownSlice;

// A capture of three kernels: two in "layer 0/attention", one in "layer 0/mlp".
class CapturedSlicesTest : public ::testing::Test {
 protected:
  void Call(const char* name, record::ApiClass api_class, TimeNs at, bool captured) {
    record::ApiCall call = testing::LaunchCall(static_cast<uint32_t>(at), at, at + 5, api_class);
    call.name = dictionary_->InternText(name);
    call.captured = captured;
    survey_.On(call);
  }
  void Range(const char* name, TimeNs start, TimeNs end) {
    record::NvtxRange range;
    range.message = dictionary_->InternText(name);
    range.thread = range.end_thread = 100;
    range.start = start;
    range.end = end;
    survey_.On(range);
  }
  void Capture() {
    Call("cudaStreamBeginCapture", record::ApiClass::kGraphBuild, 1000, false);
    for (const TimeNs at : {1020u, 1030u, 1050u}) Call("cudaLaunchKernel", record::ApiClass::kKernelLaunch, at, true);
    Call("cudaStreamEndCapture", record::ApiClass::kGraphBuild, 1100, false);
    Range("attention", 1015, 1040);
    Range("mlp", 1045, 1060);
    Range("layer 0", 1010, 1070);
  }
  std::vector<record::Kernel> Replay(record::CorrelationId correlation, TimeNs start) {
    std::vector<record::Kernel> nodes;
    for (uint64_t node = 1; node <= 3; ++node, start += 100) {
      nodes.push_back(testing::KernelAt(correlation, start, start + 80, dictionary_.Shape("k"), dictionary_.Lane(7)));
      nodes.back().graph_id = 4;
      nodes.back().graph_node_id = node;
    }
    return nodes;
  }

  testing::TestDictionary dictionary_;
  std::vector<reader::ProcessInfo> processes_;
  analysis::GraphPathSurvey survey_{*dictionary_};
};

TEST_F(CapturedSlicesTest, EachReplayShowsItsLayersBesideTheStream) {
  Capture();
  std::vector<record::Kernel> nodes = Replay(9000, 2000);
  for (const record::Kernel& node : Replay(9001, 3000)) nodes.push_back(node);
  for (const record::Kernel& node : nodes) survey_.On(node);
  std::ostringstream out;
  PerfettoExport target(out, *dictionary_, processes_, survey_.Finish());
  for (const record::Kernel& node : nodes) target.On(node);
  ASSERT_TRUE(target.Finish());
  const testing::ShownTrace shown = testing::Show(out.str());
  ASSERT_TRUE(shown.parsed);
  EXPECT_EQ(shown.unknown_tracks + shown.unknown_names + shown.ends_without_begin, 0u);
  EXPECT_EQ(shown.Named("k").at(0)->arguments.at("captured_in"), "layer 0/attention");
  ASSERT_EQ(shown.Named("layer 0").size(), 2u);
  const ShownSlice& layer = *shown.Named("layer 0")[1];
  EXPECT_TRUE(layer.track.ends_with("stream 7 / captured ranges of stream 7")) << layer.track;
  EXPECT_EQ(layer.start, 3000u);
  EXPECT_EQ(layer.end, 3280u);
  EXPECT_EQ(layer.depth, 0u);
  const ShownSlice& attention = *shown.Named("attention").at(1);
  EXPECT_EQ(attention.start, 3000u);
  EXPECT_EQ(attention.end, 3180u);
  EXPECT_EQ(attention.depth, 1u);
  EXPECT_EQ(shown.Named("mlp").at(1)->start, 3200u);
}

TEST_F(CapturedSlicesTest, AnOpaqueGraphHasNone) {
  const std::vector<record::Kernel> nodes = Replay(9000, 2000);
  for (const record::Kernel& node : nodes) survey_.On(node);
  std::ostringstream out;
  PerfettoExport target(out, *dictionary_, processes_, survey_.Finish());
  for (const record::Kernel& node : nodes) target.On(node);
  ASSERT_TRUE(target.Finish());
  const testing::ShownTrace shown = testing::Show(out.str());
  EXPECT_EQ(shown.slices.size(), 3u);
  EXPECT_FALSE(shown.slices[0].arguments.contains("captured_in"));
}

}  // namespace
}  // namespace slowtoken::exporting
