// What is collected: kinds, single APIs, contexts; attributes.
#include <cupti.h>
#include <gtest/gtest.h>

#include <set>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

std::set<uint32_t> RuntimeCalls() {
  std::set<uint32_t> cbids;
  for (const auto& api : Client::Get().All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME)) cbids.insert(api.cbid);
  return cbids;
}

TEST(Collection, NothingIsOnByDefault) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.ForceFlush();
    EXPECT_TRUE(client.Records().empty());
    EXPECT_EQ(Stats().buffers_requested, 0u);
  });
}

TEST(Collection, SingleApisWithoutTheKind) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    EXPECT_EQ(cuptiActivityEnableRuntimeApi(kSync, 1), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(RuntimeCalls(), (std::set<uint32_t>{kSync}));
    EXPECT_TRUE(client.Of({CUPTI_ACTIVITY_KIND_DRIVER}).empty());
  });
}

TEST(Collection, KindEnabledLaterOverridesSingleApis) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    EXPECT_EQ(cuptiActivityEnableRuntimeApi(kSync, 0), CUPTI_SUCCESS);
    client.Enable({CUPTI_ACTIVITY_KIND_RUNTIME});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(RuntimeCalls().count(kSync), 1u);
    EXPECT_GE(RuntimeCalls().size(), 2u);
  });
}

TEST(Collection, SingleApiDisabledAfterTheKind) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_RUNTIME});
    EXPECT_EQ(cuptiActivityEnableRuntimeApi(kSync, 0), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(RuntimeCalls().count(kSync), 0u);
    EXPECT_FALSE(RuntimeCalls().empty());
  });
}

TEST(Collection, DriverApisBySingleId) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    EXPECT_EQ(cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent, 1), CUPTI_SUCCESS);
    cudaFree(nullptr);
    CUcontext context = nullptr;
    cuCtxGetCurrent(&context);
    cuCtxSynchronize();
    client.Flush();
    for (const auto& api : client.All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER)) {
      EXPECT_EQ(api.cbid, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent);
    }
    EXPECT_FALSE(client.Records().empty());
  });
}

TEST(Collection, UnknownApiIdsAreRefused) {
  Scenario("", [] {
    EXPECT_EQ(cuptiActivityEnableRuntimeApi(0, 1), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_SIZE, 1), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_SIZE, 1), CUPTI_ERROR_INVALID_PARAMETER);
  });
}

TEST(Collection, KindsThatCannotBeEnabled) {
  Scenario("", [] {
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_INVALID), CUPTI_ERROR_INVALID_KIND);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_COUNT), CUPTI_ERROR_INVALID_KIND);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_PC_SAMPLING), CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CDP_KERNEL), CUPTI_ERROR_NOT_COMPATIBLE);
    EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL), CUPTI_ERROR_NOT_COMPATIBLE);  // would serialise
  });
}

TEST(Collection, DisabledKindStopsAtOnce) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    EXPECT_EQ(cuptiActivityDisable(kKernelKind), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(client.Kernels().size(), 1u);
  });
}

TEST(Collection, ContextSettingSupersedesTheGlobalOne) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    cudaFree(nullptr);
    CUcontext context = nullptr;
    cuCtxGetCurrent(&context);
    EXPECT_EQ(cuptiActivityDisableContext(nullptr, kKernelKind), CUPTI_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuptiActivityDisableContext(context, kKernelKind), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    EXPECT_EQ(cuptiActivityEnableContext(context, kKernelKind), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(client.Kernels().size(), 1u);
  });
}

TEST(Attributes, DefaultsSizesAndErrors) {
  Scenario("", [] {
    uint64_t value = ~uint64_t{0};
    size_t size = sizeof(value);
    EXPECT_EQ(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size, &value), CUPTI_SUCCESS);
    EXPECT_EQ(value, 3200000u);
    EXPECT_EQ(size, sizeof(size_t));
    uint8_t byte = 0xff;
    size = sizeof(byte);
    EXPECT_EQ(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &size, &byte), CUPTI_SUCCESS);
    EXPECT_EQ(byte, 1);
    EXPECT_EQ(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &byte), CUPTI_SUCCESS);
    EXPECT_EQ(byte, 0);
    EXPECT_EQ(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size, &byte),
              CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT);
    EXPECT_EQ(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, nullptr, &byte),
              CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiActivitySetAttribute(static_cast<CUpti_ActivityAttribute>(99), &size, &byte),
              CUPTI_ERROR_INVALID_PARAMETER);
    uint64_t pool = 17;
    size = sizeof(pool);
    EXPECT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &size, &pool), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &size, &value), CUPTI_SUCCESS);
    EXPECT_EQ(value, 17u);
  });
}

TEST(Attributes, LastErrorResetsOnRead) {
  Scenario("", [] {
    EXPECT_EQ(cuptiGetLastError(), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_INVALID), CUPTI_ERROR_INVALID_KIND);
    EXPECT_EQ(cuptiGetLastError(), CUPTI_ERROR_INVALID_KIND);
    EXPECT_EQ(cuptiGetLastError(), CUPTI_SUCCESS);
  });
}

TEST(Attributes, ResultTexts) {
  Scenario("", [] {
    const char* text = nullptr;
    EXPECT_EQ(cuptiGetResultString(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, &text), CUPTI_SUCCESS);
    EXPECT_STREQ(text, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
    EXPECT_EQ(cuptiGetResultString(static_cast<CUptiResult>(100), &text), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_STREQ(text, "<unknown>");
    EXPECT_EQ(cuptiGetErrorMessage(CUPTI_SUCCESS, &text), CUPTI_SUCCESS);
    EXPECT_STREQ(text, "CUPTI_SUCCESS");
    uint32_t version = 0;
    EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
    EXPECT_EQ(version, static_cast<uint32_t>(CUPTI_API_VERSION));
  });
}

}  // namespace
}  // namespace simgpu_test
