// Iterations of engines that say none, against runs of which the truth is known.
#include "analysis/inferred_iterations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "joined_run.h"

namespace slowtoken::analysis {
namespace {

using record::ApiClass;
using IterationKind = InferredIteration::Kind;

// An engine on one thread: what it launches, and the iterations that it means.
class Engine {
 public:
  explicit Engine(record::ThreadId thread = 100, record::CorrelationId first = 1, uint32_t stream = 7)
      : thread_(thread), next_(first), lane_(dictionary().Lane(stream)) {}

  static testing::TestDictionary& dictionary() {
    static testing::TestDictionary all;
    return all;
  }

  void Kernel(const char* name) {
    const TimeNs end = Call(ApiClass::kKernelLaunch);
    gpu_ = std::max(gpu_, end + 2'000) + 20'000;
    kernels.push_back(testing::KernelAt(next_ - 1, gpu_ - 20'000, gpu_, dictionary().Shape(name), lane_));
  }
  void Graph(uint32_t id) {
    const TimeNs end = Call(ApiClass::kGraphLaunch);
    gpu_ = std::max(gpu_, end + 2'000) + 400'000;
    record::GraphLaunch replay;
    replay.start = gpu_ - 400'000;
    replay.end = gpu_;
    replay.graph_id = id;
    replay.correlation = next_ - 1;
    replay.lane = lane_;
    graphs.push_back(replay);
  }
  void GraphNodes(uint32_t id, int nodes) {
    const TimeNs end = Call(ApiClass::kGraphLaunch);
    gpu_ = std::max(gpu_, end + 2'000);
    for (int i = 0; i < nodes; ++i) {
      gpu_ += 20'000;
      record::Kernel kernel = testing::KernelAt(next_ - 1, gpu_ - 20'000, gpu_,
                                                dictionary().Shape(i == 0 ? "paged_attention" : "gemm_k"), lane_);
      kernel.graph_id = id;
      kernel.graph_node_id = static_cast<uint64_t>(i + 1);
      kernels.push_back(kernel);
    }
  }
  void ReadBackAndWait() {
    const TimeNs end = Call(ApiClass::kMemcpy);
    gpu_ = std::max(gpu_, end + 2'000) + 3'000;
    copies.push_back(testing::CopyAt(next_ - 1, gpu_ - 3'000, gpu_, lane_));
    Call(ApiClass::kSynchronize);
    now_ = std::max(now_, gpu_ + 1'000);
  }
  void Sleep(uint64_t ns) { now_ += ns; }
  void Prefill(int layers) {
    ++meant;
    Kernel("_prepare_prefill_inputs_kernel");
    for (int i = 0; i < layers; ++i) {
      Kernel("gemm_k");
      Kernel("flash_fwd_kernel");
    }
  }
  void Decode(uint32_t graph) {
    ++meant;
    Graph(graph);
  }

  std::vector<record::ApiCall> calls;
  std::vector<record::Kernel> kernels;
  std::vector<record::GraphLaunch> graphs;
  std::vector<record::Memcpy> copies;
  uint64_t meant = 0;

 private:
  TimeNs Call(ApiClass api_class) {
    now_ += 4'000;
    record::ApiCall call = testing::LaunchCall(next_++, now_, now_ + 3'000, api_class);
    call.thread = thread_;
    calls.push_back(call);
    return now_ + 3'000;
  }
  record::ThreadId thread_;
  record::CorrelationId next_;
  record::LaneId lane_;
  TimeNs now_ = 1'000'000'000, gpu_ = 0;
};

template <typename Event>
void Deliver(std::vector<Event> events, testing::JoinedRun& run, std::mt19937& order) {
  std::shuffle(events.begin(), events.end(), order);
  for (const Event& event : events) run.On(event);
}

std::vector<InferredIteration> Infer(const std::vector<const Engine*>& engines, bool advance = true) {
  testing::JoinedRun run(*Engine::dictionary());
  std::mt19937 order(5);
  for (const Engine* engine : engines) {
    Deliver(engine->kernels, run, order);
    Deliver(engine->calls, run, order);
    Deliver(engine->graphs, run, order);
    Deliver(engine->copies, run, order);
  }
  for (TimeNs at = 0; advance && at < 20'000'000'000; at += 100'000'000) run.On(record::Advance{.watermark = at});
  run.Finish();
  return run.analysis().inferred().all();
}

size_t CountOf(const std::vector<InferredIteration>& all, IterationKind kind) {
  return static_cast<size_t>(
      std::count_if(all.begin(), all.end(), [kind](const InferredIteration& i) { return i.kind == kind; }));
}

TEST(InferredIterations, AReplayPerDecodeStep) {
  Engine engine;
  for (int i = 0; i < 50; ++i) {
    engine.Decode(i % 10 == 0 ? 2 : 1);  // batches of several sizes
    engine.ReadBackAndWait();
  }
  const auto all = Infer({&engine});
  ASSERT_EQ(all.size(), engine.meant);
  EXPECT_EQ(CountOf(all, IterationKind::kDecode), 50u);
  EXPECT_EQ(all[0].graph_launches, 1u);
  EXPECT_EQ(all[0].busy_ns, 400'000u);
  EXPECT_EQ(all[0].since_last_ns, 0u);
  EXPECT_EQ(all[1].since_last_ns, all[1].gpu_end - all[0].gpu_end);
}

TEST(InferredIterations, AHostThatRunsAhead) {
  Engine engine;
  for (int i = 0; i < 50; ++i) engine.Decode(1);
  EXPECT_EQ(Infer({&engine}).size(), engine.meant);
}

TEST(InferredIterations, EagerPrefillsWithGapsBetweenThem) {
  Engine engine;
  for (int i = 0; i < 20; ++i) {
    engine.Prefill(8);
    engine.Sleep(20'000'000);
  }
  const auto all = Infer({&engine});
  ASSERT_EQ(all.size(), engine.meant);
  EXPECT_EQ(CountOf(all, IterationKind::kPrefill), 20u);
  EXPECT_EQ(all[3].kernels, 17u);
  EXPECT_EQ(all[3].busy_ns, 17u * 20'000);
}

TEST(InferredIterations, PrefillAndDecodeInTurn) {
  Engine engine;
  for (int i = 0; i < 30; ++i) {
    i % 5 == 0 ? engine.Prefill(4) : engine.Decode(1);
    engine.ReadBackAndWait();
  }
  const auto all = Infer({&engine});
  ASSERT_EQ(all.size(), engine.meant);
  EXPECT_EQ(CountOf(all, IterationKind::kPrefill), 6u);
  EXPECT_EQ(CountOf(all, IterationKind::kDecode), 24u);
}

TEST(InferredIterations, TwoThreadsOnTwoStreamsAreToldApart) {
  Engine one(100, 1, 7), two(200, 100'000, 8);
  for (int i = 0; i < 40; ++i) {
    one.Decode(1);
    one.ReadBackAndWait();
    two.Prefill(3);
    two.ReadBackAndWait();
  }
  const auto all = Infer({&one, &two});
  ASSERT_EQ(all.size(), one.meant + two.meant);
  EXPECT_EQ(CountOf(all, IterationKind::kDecode), 40u);
  EXPECT_EQ(CountOf(all, IterationKind::kPrefill), 40u);
}

TEST(InferredIterations, TwoStreamsOfOneThreadAreOneIteration) {
  Engine engine;
  for (int i = 0; i < 10; ++i) {
    engine.Decode(1);
    engine.ReadBackAndWait();
  }
  // A copy stream's kernels overlap the replay: the union counts, not the sum.
  const record::LaneId other = Engine::dictionary().Lane(9);
  const record::GraphLaunch replay = engine.graphs[4];
  engine.kernels.push_back(testing::KernelAt(replay.correlation, replay.start + 10'000, replay.end - 10'000,
                                             Engine::dictionary().Shape("gemm_k"), other));
  const auto all = Infer({&engine});
  ASSERT_EQ(all.size(), engine.meant);
  EXPECT_EQ(all[4].busy_ns, 400'000u);
}

TEST(InferredIterations, GraphsRecordedNodeByNode) {
  Engine engine;
  for (int i = 0; i < 20; ++i) {
    ++engine.meant;
    engine.GraphNodes(3, 40);
    engine.ReadBackAndWait();
  }
  const auto all = Infer({&engine});
  ASSERT_EQ(all.size(), engine.meant);
  EXPECT_EQ(CountOf(all, IterationKind::kDecode), 20u);
  EXPECT_EQ(all[7].kernels, 40u);
}

TEST(InferredIterations, ARuntimeCallAndTheDriverCallInsideAreOneLaunch) {
  Engine engine;
  for (int i = 0; i < 10; ++i) engine.Decode(1);
  const size_t count = engine.calls.size();
  for (size_t i = 0; i < count; ++i) {
    record::ApiCall inner = engine.calls[i];
    inner.start += 500;
    inner.end -= 500;
    inner.domain = record::ApiDomain::kDriver;
    engine.calls.push_back(inner);
  }
  EXPECT_EQ(Infer({&engine}).size(), engine.meant);
}

TEST(InferredIterations, StartUpWithoutAModelIsNone) {
  Engine engine;
  for (int i = 0; i < 5; ++i) engine.Kernel("init_weights");
  engine.ReadBackAndWait();
  EXPECT_TRUE(Infer({&engine}).empty());
}

TEST(InferredIterations, NothingIsInferredWhereAnIterationWasSaid) {
  Engine engine;
  for (int i = 0; i < 10; ++i) engine.Decode(1);
  testing::JoinedRun run(*Engine::dictionary());
  for (const record::GraphLaunch& graph : engine.graphs) run.On(graph);
  for (const record::ApiCall& call : engine.calls) run.On(call);
  record::Annotation said;
  said.name = record::AnnotationName::kIter;
  run.On(said);
  for (const record::ApiCall& call : engine.calls) run.On(call);
  run.Finish();
  EXPECT_TRUE(run.analysis().inferred().all().empty());
}

TEST(InferredIterations, TheOrderAndTheAdvancesDoNotMatter) {
  Engine engine;
  for (int i = 0; i < 30; ++i) {
    i % 3 == 0 ? engine.Prefill(4) : engine.Decode(1);
    engine.ReadBackAndWait();
  }
  const auto streamed = Infer({&engine}, true), at_once = Infer({&engine}, false);
  ASSERT_EQ(streamed.size(), at_once.size());
  for (size_t i = 0; i < streamed.size(); ++i) {
    EXPECT_EQ(streamed[i].start, at_once[i].start);
    EXPECT_EQ(streamed[i].busy_ns, at_once[i].busy_ns);
  }
}

}  // namespace
}  // namespace slowtoken::analysis
