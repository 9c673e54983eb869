#include "cupti/api_classes.h"

#include <gtest/gtest.h>

#include "fake_cupti.h"

namespace slowtoken::cupti {
namespace {

using record::ApiClass;
using record::ApiDomain;

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

class ApiClassesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(arena.Reserve(16 << 20, false));
    ASSERT_TRUE(dictionary.Init(arena, {}, losses));
    ASSERT_TRUE(classes.Init(arena));
  }
  void TearDown() override { arena.Release(); }

  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  FakeCupti fake;
  ApiClasses classes;
};

TEST_F(ApiClassesTest, BugLog34_DriverAndRuntimeAndPerThreadStreamVariants) {
  classes.Fill(fake.Table());
  for (uint32_t id : {211u, 311u, 505u, 506u}) EXPECT_TRUE(classes.Of(ApiDomain::kRuntime, id).wanted()) << id;
  for (uint32_t id : {307u, 514u, 515u, 652u}) EXPECT_TRUE(classes.Of(ApiDomain::kDriver, id).wanted()) << id;
  EXPECT_FALSE(classes.Of(ApiDomain::kRuntime, 1).wanted());
  EXPECT_TRUE(classes.Of(ApiDomain::kRuntime, 1).unwanted());
  EXPECT_FALSE(classes.Of(ApiDomain::kRuntime, 2000).unwanted()) << "unnamed is not unwanted";
}

TEST_F(ApiClassesTest, NewIdsOfANewerCuptiAreFound) {
  for (uint32_t id = 507; id < 600; ++id) fake.names[{CUPTI_CB_DOMAIN_RUNTIME_API, id}] = "cudaSomething_v14000";
  fake.names[{CUPTI_CB_DOMAIN_RUNTIME_API, 599}] = "cudaLaunchKernelNext_v14000";
  classes.Fill(fake.Table());
  EXPECT_TRUE(classes.Of(ApiDomain::kRuntime, 599).wanted());
  EXPECT_EQ(classes.Of(ApiDomain::kRuntime, 599).api_class, ApiClass::kKernelLaunch);
}

TEST_F(ApiClassesTest, WithoutNamesTheKnownLaunchesRemain) {
  ApiTable table = fake.Table();
  table.get_callback_name = nullptr;
  classes.Fill(table);
  EXPECT_EQ(classes.Of(ApiDomain::kRuntime, 505).api_class, ApiClass::kKernelLaunch);
  EXPECT_EQ(classes.Of(ApiDomain::kRuntime, 312).api_class, ApiClass::kGraphLaunch);
  EXPECT_EQ(classes.Of(ApiDomain::kDriver, 653).api_class, ApiClass::kKernelLaunch);
  EXPECT_EQ(classes.Of(ApiDomain::kDriver, 515).api_class, ApiClass::kGraphLaunch);
  EXPECT_EQ(classes.Known(ApiDomain::kDriver, 515, table, dictionary).name, 0u);
  EXPECT_FALSE(classes.Of(ApiDomain::kRuntime, 41).wanted());
}

TEST_F(ApiClassesTest, NamesAreAskedOnce) {
  const ApiTable table = fake.Table();
  const record::StringId first = classes.Known(ApiDomain::kRuntime, 41, table, dictionary).name;
  const int asked = fake.Count("cuptiGetCallbackName");
  EXPECT_EQ(classes.Known(ApiDomain::kRuntime, 41, table, dictionary).name, first);
  EXPECT_EQ(fake.Count("cuptiGetCallbackName"), asked);
  EXPECT_EQ(dictionary.text(first), "cudaMemcpyAsync");
}

}  // namespace
}  // namespace slowtoken::cupti
