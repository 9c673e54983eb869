// Ranges projected onto graph nodes: against a story that knows what each node was captured in.
#include "analysis/captured_ranges.h"

#include <gtest/gtest.h>

#include "../analysis/events.h"
#include "analysis/graph_builds.h"
#include "analysis/graph_path_survey.h"

namespace slowtoken::analysis {
namespace {

using record::ApiClass;

constexpr TimeNs kCaptureStart = 1'000'000'000;

// A process that captures graphs on thread 7 and replays them.
class CaptureStory {
 public:
  void Call(const char* name, ApiClass api_class, bool captured = false) {
    record::ApiCall call = testing::LaunchCall(++correlation_, now_, now_ + 10, api_class);
    call.thread = 7;
    call.name = dictionary_->InternText(name);
    call.captured = captured;
    survey_.On(call);
    call.start += 2;  // the driver call inside
    call.end -= 2;
    call.domain = record::ApiDomain::kDriver;
    if (captured) survey_.On(call);
    now_ += 20;
  }
  void Begin() { Call("cudaStreamBeginCapture", ApiClass::kGraphBuild); }
  void End() {
    Call("cudaStreamEndCapture", ApiClass::kGraphBuild);
    Call("cudaGraphInstantiate", ApiClass::kGraphBuild);
  }
  void Kernels(int count) {
    for (int i = 0; i < count; ++i) Call("cudaLaunchKernel", ApiClass::kKernelLaunch, true);
  }

  template <typename Inside>
  void In(const std::string& name, Inside inside) {
    record::NvtxRange range;
    range.start = now_++;
    inside();
    range.end = now_++;
    range.thread = range.end_thread = 7;
    range.message = dictionary_->InternText(name);
    survey_.On(range);
  }

  // `nodes`: ids in the order in which they run; `k`, `c` or `s` for each in `kinds`.
  void Replay(uint32_t graph, const std::vector<uint64_t>& nodes, const std::string& kinds) {
    ++correlation_;
    for (size_t i = 0; i < nodes.size(); ++i, now_ += 100) {
      const record::LaneId lane = dictionary_.Lane(7);
      if (kinds[i] == 'k') {
        record::Kernel kernel = testing::KernelAt(correlation_, now_, now_ + 50, dictionary_.Shape("k"), lane);
        kernel.graph_id = graph;
        kernel.graph_node_id = nodes[i];
        survey_.On(kernel);
      } else {
        record::Memcpy copy = testing::CopyAt(correlation_, now_, now_ + 50, lane);
        copy.graph_id = graph;
        copy.graph_node_id = nodes[i];
        survey_.On(copy);
      }
    }
    record::Advance advance;
    advance.watermark = now_;
    survey_.On(advance);
  }

  void Finish() { paths_ = survey_.Finish(); }
  std::string Of(uint32_t graph, uint64_t node) const {
    const std::string* path = paths_.Of(0, graph, node);
    return path == nullptr ? "-" : *path;
  }
  Opaque Why(uint32_t graph) const { return survey_.captured().graphs().at({0, graph}).opaque; }

 private:
  testing::TestDictionary dictionary_;
  GraphPathSurvey survey_{*dictionary_};
  GraphPaths paths_;
  TimeNs now_ = kCaptureStart;
  record::CorrelationId correlation_ = 0;
};

void CaptureLayers(CaptureStory& story, int layers) {
  story.Begin();
  story.Kernels(1);
  for (int layer = 0; layer < layers; ++layer) {
    story.In("layer " + std::to_string(layer), [&] {
      story.In("attention", [&] { story.Kernels(2); });
      story.Call("cudaMemcpyAsync", ApiClass::kMemcpy, true);
    });
  }
  story.End();
}

TEST(CapturedRanges, NodesLieInWhatWasOpenWhenTheyWereCaptured) {
  CaptureStory story;
  story.In("start-up", [&] { CaptureLayers(story, 2); });
  for (int replay = 0; replay < 3; ++replay) story.Replay(5, {71, 72, 73, 74, 75, 76, 77}, "kkkckkc");
  story.Finish();
  EXPECT_EQ(story.Why(5), Opaque::kNo);
  EXPECT_EQ(story.Of(5, 71), "-") << "captured outside any range of the capture";
  EXPECT_EQ(story.Of(5, 72), "layer 0/attention");
  EXPECT_EQ(story.Of(5, 73), "layer 0/attention");
  EXPECT_EQ(story.Of(5, 74), "layer 0");
  EXPECT_EQ(story.Of(5, 76), "layer 1/attention");
  EXPECT_EQ(story.Of(5, 77), "layer 1");
}

TEST(CapturedRanges, TheOrderIsThatInWhichNodesRunWhateverTheirIdsAre) {
  CaptureStory story;
  CaptureLayers(story, 1);
  story.Replay(5, {40, 30, 20, 10}, "kkkc");
  story.Finish();
  EXPECT_EQ(story.Of(5, 40), "-");
  EXPECT_EQ(story.Of(5, 30), "layer 0/attention");
  EXPECT_EQ(story.Of(5, 10), "layer 0");
}

TEST(CapturedRanges, GraphsOfOneShapeNeedNotBeToldApart) {
  CaptureStory story;
  for (int size = 0; size < 3; ++size) CaptureLayers(story, 1);
  story.Replay(5, {1, 2, 3, 4}, "kkkc");
  story.Replay(6, {11, 12, 13, 14}, "kkkc");
  story.Finish();
  EXPECT_EQ(story.Of(5, 2), "layer 0/attention");
  EXPECT_EQ(story.Of(6, 12), "layer 0/attention");
}

TEST(CapturedRanges, OfCapturesThatDifferOnTheOutsideTheInsideIsTold) {
  CaptureStory story;
  for (const char* size : {"size 8", "size 16"}) {
    story.Begin();
    story.In(size, [&] { story.In("attention", [&] { story.Kernels(2); }); });
    story.End();
  }
  story.Replay(5, {1, 2}, "kk");
  story.Finish();
  EXPECT_EQ(story.Of(5, 1), "attention");
}

TEST(CapturedRanges, WhatIsNotCertainIsOpaqueWithItsReason) {
  CaptureStory story;
  story.Replay(4, {1, 2}, "kk");  // before any capture
  for (const char* name : {"a", "b"}) {
    story.Begin();
    story.In(name, [&] { story.Kernels(2); });
    story.End();
  }
  story.Begin();
  story.Kernels(3);
  story.Call("cudaStreamWaitEvent", ApiClass::kSynchronize, true);
  story.Kernels(1);
  story.End();
  story.Begin();
  story.Kernels(6);
  story.End();
  story.Replay(5, {1, 2}, "kk");
  story.Replay(6, {1, 2, 3, 4}, "kkkk");
  story.Replay(7, {1, 2, 3}, "kkk");
  story.Replay(8, {1, 2, 3, 4, 5, 6}, "kkkkkk");
  story.Replay(8, {1, 2, 3, 4, 6, 5}, "kkkkkk");
  story.Replay(9, {1, 2, 3, 4, 5}, "kkkkk");
  story.Replay(9, {6}, "k");  // never whole
  story.Finish();
  EXPECT_EQ(story.Why(4), Opaque::kNoCapture);
  EXPECT_EQ(story.Why(5), Opaque::kAmbiguous);
  EXPECT_EQ(story.Why(6), Opaque::kBranches);
  EXPECT_EQ(story.Why(7), Opaque::kNoMatch);
  EXPECT_EQ(story.Why(8), Opaque::kNotRecorded);
  EXPECT_EQ(story.Why(9), Opaque::kNotRecorded);
  EXPECT_EQ(story.Of(5, 1), "-");
}

TEST(CapturedRanges, AReplayThatLostRecordsDoesNotHideTheOthers) {
  CaptureStory story;
  CaptureLayers(story, 1);
  story.Replay(5, {1, 3, 4}, "kkc");
  story.Replay(5, {1, 2, 3, 4}, "kkkc");
  story.Finish();
  EXPECT_EQ(story.Of(5, 3), "layer 0/attention");
}

TEST(GraphPaths, ShapesOfPathsHaveNoNumbers) {
  EXPECT_EQ(WithoutNumbers("layer 12/expert7/a"), "layer #/expert#/a");
  EXPECT_EQ(WithoutNumbers(""), "");
}

class GraphBuildsTest : public ::testing::Test {
 protected:
  void Call(const char* name, ApiClass api_class, TimeNs start, TimeNs end) {
    record::ApiCall call = testing::LaunchCall(1, start, end, api_class);
    call.name = dictionary_->InternText(name);
    builds_.Add(call);
  }
  GraphBuilds::Sum Of(BuildKind kind) { return builds_.Sums()[static_cast<size_t>(kind)]; }

  testing::TestDictionary dictionary_;
  GraphBuilds builds_{*dictionary_};
};

TEST_F(GraphBuildsTest, CallsInsideCallsAreOneAndServingBeginsWithTheFirstReplay) {
  Call("cuGraphInstantiate", ApiClass::kGraphBuild, 1'010, 1'090);
  Call("cudaGraphInstantiate", ApiClass::kGraphBuild, 1'000, 1'100);
  Call("cudaGraphLaunch", ApiClass::kGraphLaunch, 5'000, 5'010);
  Call("cudaGraphInstantiate", ApiClass::kGraphBuild, 6'000, 6'300);
  Call("cudaGraphExecUpdate", ApiClass::kGraphBuild, 7'000, 7'005);
  Call("cudaGraphExecDestroy", ApiClass::kGraphBuild, 8'000, 8'005);
  Call("cuModuleLoadData", ApiClass::kModule, 9'000, 9'500);
  const GraphBuilds::Sum instantiate = Of(BuildKind::kInstantiate);
  EXPECT_EQ(instantiate.count, 2u);
  EXPECT_EQ(instantiate.total_ns, 400u);
  EXPECT_EQ(instantiate.max_ns, 300u);
  EXPECT_EQ(instantiate.serving, 1u);
  EXPECT_EQ(instantiate.serving_ns, 300u);
  EXPECT_EQ(Of(BuildKind::kUpdate).serving, 1u);
  EXPECT_EQ(Of(BuildKind::kModuleLoad).serving_ns, 500u);
  EXPECT_EQ(Of(BuildKind::kCapture).count, 0u);
}

TEST_F(GraphBuildsTest, CompilingIsToldByJitRangesAndByTheCompilerItself) {
  record::Annotation jit;
  jit.name = record::AnnotationName::kJit;
  jit.kind = record::AnnotationKind::kPushPop;
  jit.start = 1'000;
  jit.end = 2'000;
  jit.thread = 3;
  builds_.Add(jit);
  record::Overhead compiler;
  compiler.kind = record::OverheadKind::kDriverCompiler;
  compiler.start = 1'200;
  compiler.end = 1'800;
  compiler.thread = 3;
  builds_.Add(compiler);
  EXPECT_EQ(Of(BuildKind::kCompile).count, 1u);
  EXPECT_EQ(Of(BuildKind::kCompile).total_ns, 1'000u);
}

}  // namespace
}  // namespace slowtoken::analysis
