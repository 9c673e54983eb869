// CUDA graphs: node records share the launch's id and name their node; graph-level tracing replaces them; creation is
// announced.
#include <cupti.h>
#include <gtest/gtest.h>

#include <set>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

TEST(Graphs, NodesShareTheLaunchsIdAndNameTheirNode) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME});
    cudaGraphExec_t exec = MakeGraph(3, true);
    cudaGraphLaunch(exec, nullptr);
    cudaGraphLaunch(exec, nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    std::vector<uint32_t> launches;
    for (const auto& api : client.All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME)) {
      if (api.cbid == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000) launches.push_back(api.correlationId);
    }
    const auto kernels = client.Kernels();
    const auto sets = client.All<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
    ASSERT_EQ(launches.size(), 2u);
    ASSERT_EQ(kernels.size(), 6u);
    ASSERT_EQ(sets.size(), 2u);
    uint32_t exec_id = 0;
    EXPECT_EQ(cuptiGetGraphExecId(exec, &exec_id), CUPTI_SUCCESS);
    std::set<uint64_t> nodes{sets[0].graphNodeId};
    for (size_t i = 0; i < kernels.size(); ++i) {
      EXPECT_EQ(kernels[i].correlationId, launches[i / 3]);
      EXPECT_EQ(kernels[i].graphId, exec_id);
      EXPECT_NE(kernels[i].graphNodeId, 0u);
      if (i < 3) nodes.insert(kernels[i].graphNodeId);
      if (i >= 3) {
        EXPECT_EQ(kernels[i].graphNodeId, kernels[i - 3].graphNodeId);
      }
    }
    EXPECT_EQ(nodes.size(), 4u);
    EXPECT_EQ(sets[1].correlationId, launches[1]);
    EXPECT_EQ(sets[1].graphId, exec_id);
  });
}

TEST(Graphs, GraphTraceGivesOneRecordAndSuppressesNodes) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable(
        {kKernelKind, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_RUNTIME});
    cudaGraphExec_t exec = MakeGraph(3, true);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaGraphLaunch(exec, stream);
    LaunchShort(stream);  // outside the graph: still recorded
    cudaDeviceSynchronize();
    client.Flush();
    const auto traces = client.All<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
    const auto kernels = client.Kernels();
    ASSERT_EQ(traces.size(), 1u);
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].graphId, 0u);
    EXPECT_TRUE(client.Of({CUPTI_ACTIVITY_KIND_MEMSET}).empty());
    uint32_t exec_id = 0, stream_id = 0;
    EXPECT_EQ(cuptiGetGraphExecId(exec, &exec_id), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiGetStreamIdEx(nullptr, stream, 0, &stream_id), CUPTI_SUCCESS);
    EXPECT_EQ(traces[0].graphId, exec_id);
    EXPECT_EQ(traces[0].streamId, stream_id);
    EXPECT_GE(traces[0].end - traces[0].start, 3 * kShortNs);
    EXPECT_LE(traces[0].end, kernels[0].start);
  });
}

// What a tool needs to project capture-time ranges on replays: node created at capture, cloned at instantiation, ids of
// both.
struct Announced {
  std::vector<uint64_t> created;
  std::vector<std::pair<uint64_t, uint64_t>> cloned;  // original, clone
  int execs = 0;
  uint32_t exec_id = 0;

  static Announced& Get() {
    static Announced announced;
    return announced;
  }

  static void Callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* data) {
    if (domain != CUPTI_CB_DOMAIN_RESOURCE) return;
    Announced& self = Get();
    const auto* graph =
        static_cast<const CUpti_GraphData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
    uint64_t node = 0, original = 0;
    if (cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
      EXPECT_EQ(cuptiGetGraphNodeId(graph->node, &node), CUPTI_SUCCESS);
      self.created.push_back(node);
    } else if (cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
      EXPECT_EQ(cuptiGetGraphNodeId(graph->node, &node), CUPTI_SUCCESS);
      EXPECT_EQ(cuptiGetGraphNodeId(graph->originalNode, &original), CUPTI_SUCCESS);
      self.cloned.emplace_back(original, node);
    } else if (cbid == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED) {
      ++self.execs;
      EXPECT_EQ(cuptiGetGraphExecId(graph->graphExec, &self.exec_id), CUPTI_SUCCESS);
    } else {
      ADD_FAILURE() << "not enabled: " << cbid;
    }
  }
};

TEST(Graphs, ResourceCallbacksLeadFromCaptureToReplay) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    CUpti_SubscriberHandle subscriber = nullptr;
    ASSERT_EQ(cuptiSubscribe(&subscriber, Announced::Callback, nullptr), CUPTI_SUCCESS);
    for (const auto cbid : {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
                            CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED}) {
      EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, cbid), CUPTI_SUCCESS);
    }
    cudaGraphExec_t exec = MakeGraph(4, false);
    cudaGraphLaunch(exec, nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    const Announced& announced = Announced::Get();
    ASSERT_EQ(announced.created.size(), 4u);
    ASSERT_EQ(announced.cloned.size(), 4u);
    EXPECT_EQ(announced.execs, 1);
    const auto kernels = client.Kernels();
    ASSERT_EQ(kernels.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(announced.cloned[i].first, announced.created[i]);
      EXPECT_EQ(kernels[i].graphNodeId, announced.cloned[i].second);
      EXPECT_EQ(kernels[i].graphId, announced.exec_id);
    }
  });
}

// Bug log row 34: engines that call the driver directly launch graphs by another id, and by yet another with a
// per-thread default stream.
TEST(Graphs, BugLog34_LaunchedThroughTheDriver) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    cudaGraphExec_t exec = MakeGraph(2, false);
    client.Enable({kKernelKind, CUPTI_ACTIVITY_KIND_DRIVER});
    ASSERT_EQ(cuGraphLaunch(exec, nullptr), CUDA_SUCCESS);
    cudaDeviceSynchronize();
    client.Flush();
    const auto kernels = client.Kernels();
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_TRUE(client.Of({CUPTI_ACTIVITY_KIND_RUNTIME}).empty());
    int launches = 0;
    for (const auto& api : client.All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER)) {
      if (api.cbid != CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch) continue;
      ++launches;
      EXPECT_EQ(api.correlationId, kernels[0].correlationId);
      EXPECT_EQ(api.correlationId, kernels[1].correlationId);
    }
    EXPECT_EQ(launches, 1);
  });
}

TEST(Graphs, IdsOfUnknownHandlesAreRefused) {
  Scenario("", [] {
    uint32_t id = 0;
    uint64_t node = 0;
    EXPECT_EQ(cuptiGetGraphId(nullptr, &id), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiGetGraphExecId(nullptr, &id), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiGetGraphNodeId(nullptr, &node), CUPTI_ERROR_INVALID_PARAMETER);
  });
}

}  // namespace
}  // namespace simgpu_test
