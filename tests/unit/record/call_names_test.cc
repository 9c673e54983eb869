#include "record/call_names.h"

#include <gtest/gtest.h>

namespace slowtoken::record {
namespace {

std::optional<ApiClass> ClassifyApi(std::string_view name) { return ClassOfCall(WithoutApiPrefix(name)); }

struct Expectation {
  const char* name;
  ApiClass api_class;
};

TEST(ClassifyApi, CallsWeRecord) {
  const Expectation expectations[] = {
      {"cudaLaunchKernel_v7000", ApiClass::kKernelLaunch},
      {"cudaLaunchKernelExC_ptsz_v11060", ApiClass::kKernelLaunch},
      {"cudaLaunchCooperativeKernel_v9000", ApiClass::kKernelLaunch},
      {"__cudaLaunchKernel_v13000", ApiClass::kKernelLaunch},
      {"__cudaLaunchKernel_ptsz_v13000", ApiClass::kKernelLaunch},
      {"cuLaunchKernel", ApiClass::kKernelLaunch},
      {"cuLaunchKernelEx_ptsz", ApiClass::kKernelLaunch},
      {"cudaGraphLaunch_ptsz_v10000", ApiClass::kGraphLaunch},
      {"cuGraphLaunch", ApiClass::kGraphLaunch},
      {"cudaMemcpyAsync_ptsz_v7000", ApiClass::kMemcpy},
      {"cudaMemcpyBatchAsync_v13000", ApiClass::kMemcpy},
      {"cuMemcpyHtoDAsync_v2", ApiClass::kMemcpy},
      {"cu64Memcpy3D", ApiClass::kMemcpy},
      {"cudaMemsetAsync_v3020", ApiClass::kMemset},
      {"cuMemsetD32Async_ptsz", ApiClass::kMemset},
      {"cudaDeviceSynchronize_v3020", ApiClass::kSynchronize},
      {"cudaStreamSynchronize_ptsz_v7000", ApiClass::kSynchronize},
      {"cuEventSynchronize", ApiClass::kSynchronize},
      {"cuCtxSynchronize_v2", ApiClass::kSynchronize},
      {"cudaStreamBeginCapture_v10000", ApiClass::kGraphBuild},
      {"cuStreamEndCapture_ptsz", ApiClass::kGraphBuild},
      {"cudaGraphInstantiateWithFlags_v11040", ApiClass::kGraphBuild},
      {"cuGraphExecUpdate_v2", ApiClass::kGraphBuild},
      {"cudaGraphDestroy_v10000", ApiClass::kGraphBuild},
      {"cuGraphDestroy", ApiClass::kGraphBuild},
      {"cudaMalloc_v3020", ApiClass::kMemory},
      {"cudaFreeAsync_v11020", ApiClass::kMemory},
      {"cuMemAllocFromPoolAsync", ApiClass::kMemory},
      {"cuMemMap", ApiClass::kMemory},
      {"cudaHostAlloc_v3020", ApiClass::kMemory},
      {"cuModuleLoadDataEx", ApiClass::kModule},
      {"cuLibraryLoadData", ApiClass::kModule},
  };
  for (const Expectation& e : expectations) EXPECT_EQ(ClassifyApi(e.name), e.api_class) << e.name;
}

TEST(ClassifyApi, CallsWeDoNot) {
  for (const char* name :
       {"cudaGetDevice_v3020", "cuCtxGetCurrent", "cudaEventRecord_v3020", "cudaEventQuery_v3020",
        "cudaStreamQuery_ptsz_v7000", "cudaLaunchHostFunc_v10000", "cuGraphDestroyNode", "cuGraphAddKernelNode",
        "cuModuleGetFunction", "cuGraphicsMapResources", "cuBinaryFree", "INVALID", "", "nvtxMark", "LaunchKernel"}) {
    EXPECT_EQ(ClassifyApi(name), std::nullopt) << name;
  }
}

TEST(ClassifyApi, BugLog39_LaunchCallsNobodyKnowsYet) {
  EXPECT_EQ(ClassifyApi("cudaLaunchKernelFromTheFuture_v15000"), ApiClass::kKernelLaunch);
  EXPECT_EQ(ClassifyApi("cuLaunchKernelEx_v7"), ApiClass::kKernelLaunch);
}

TEST(WithoutVersion, CutsWhatCuptiAppends) {
  EXPECT_EQ(WithoutVersion("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(WithoutVersion("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel_ptsz");
  EXPECT_EQ(WithoutVersion("cuMemAlloc_v2"), "cuMemAlloc_v2");
  EXPECT_EQ(WithoutVersion("cuLaunchKernel"), "cuLaunchKernel");
  EXPECT_EQ(WithoutVersion("cuThing_vabcd"), "cuThing_vabcd");
  EXPECT_EQ(WithoutVersion(""), "");
}

}  // namespace
}  // namespace slowtoken::record
