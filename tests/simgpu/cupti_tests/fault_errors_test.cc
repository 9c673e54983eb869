// Refusals: any result code at any call, early or late; version gates; mixing of API generations; callbacks that stop.
#include <cupti.h>
#include <gtest/gtest.h>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

void Ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

TEST(Errors, AnyCodeAtAnyCallAndOccasion) {
  Scenario("cupti.cuptiSubscribe=35;cupti.cuptiActivityEnable=7@2*1;cupti.cuptiActivityFlushAll=999@2", [] {
    CUpti_SubscriberHandle subscriber = nullptr;
    EXPECT_EQ(cuptiSubscribe(&subscriber, Ignore, nullptr), CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
    EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_ERROR_INVALID_OPERATION);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_SUCCESS);
    Client::Get().Register();
    EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_UNKNOWN);  // late, and from then on
    EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_UNKNOWN);
  });
}

TEST(Errors, BugLog61_EveryCallRefused) {
  Scenario("cupti.any=39", [] {
    CUpti_SubscriberHandle subscriber = nullptr;
    uint64_t now = 0;
    cuptiGetTimestamp(&now);  // connects
    EXPECT_EQ(cuptiSubscribe(&subscriber, Ignore, nullptr), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    LaunchShort(nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);  // the application is unharmed
  });
}

TEST(Errors, SingleKindsRefused) {
  Scenario("cupti.kind_error=51:27+10:14", [] {
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE), CUPTI_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_ERROR_NOT_COMPATIBLE);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_SUCCESS);
  });
}

TEST(Errors, BugLog59_AnotherToolWasFirst) {
  Scenario("cupti.other_tool=Nsight Systems", [] {
    char name[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.oldSubscriberName = name;
    params.oldSubscriberSize = sizeof(name);
    CUpti_SubscriberHandle subscriber = nullptr;
    EXPECT_EQ(cuptiSubscribe_v2(&subscriber, Ignore, nullptr, &params), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT_STREQ(name, "Nsight Systems");
  });
}

TEST(Errors, BugLog62_AnyVersion) {
  Scenario("cupti.version=130400", [] {
    uint32_t version = 0;
    EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
    EXPECT_EQ(version, 130400u);
  });
}

TEST(Errors, BugLog46_GlobalCallsRefusedAfterSubscribeV2) {
  Scenario("cupti.mix=dropped+timestamp", [] {
    size_t dropped = 0;
    EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
    CUpti_SubscriberHandle subscriber = nullptr;
    ASSERT_EQ(cuptiSubscribe_v2(&subscriber, Ignore, nullptr, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_ERROR_NOT_COMPATIBLE);
    EXPECT_EQ(cuptiActivityRegisterTimestampCallback([]() -> uint64_t { return 1; }), CUPTI_ERROR_NOT_COMPATIBLE);
    EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_SUCCESS);
  });
  Scenario("cupti.mix=all", [] {
    CUpti_SubscriberHandle subscriber = nullptr;
    ASSERT_EQ(cuptiSubscribe_v2(&subscriber, Ignore, nullptr, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_ERROR_NOT_COMPATIBLE);
  });
}

int g_calls = 0;
void Count(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) { ++g_calls; }

TEST(Errors, StolenCallbacks) {
  Scenario("cupti.lose_callbacks_after=2", [] {
    CUpti_SubscriberHandle subscriber = nullptr;
    ASSERT_EQ(cuptiSubscribe(&subscriber, Count, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_SUCCESS);
    for (int i = 0; i < 5; ++i) cudaDeviceSynchronize();
    EXPECT_EQ(g_calls, 2);
  });
}

int g_fatal = 0;
void CountFatal(void*, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* data) {
  EXPECT_EQ(domain, CUPTI_CB_DOMAIN_STATE);
  EXPECT_EQ(cbid, CUPTI_CBID_STATE_FATAL_ERROR);
  EXPECT_EQ(static_cast<const CUpti_StateData*>(data)->notification.result, CUPTI_ERROR_UNKNOWN);
  ++g_fatal;
}

TEST(Errors, FatalErrorDetachesCupti) {
  Scenario("cupti.fatal_after=3", [] {
    Client& client = Client::Get();
    client.Register();
    CUpti_SubscriberHandle subscriber = nullptr;
    ASSERT_EQ(cuptiSubscribe(&subscriber, CountFatal, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_STATE), CUPTI_SUCCESS);
    client.Enable({kKernelKind, CUPTI_ACTIVITY_KIND_RUNTIME});
    for (int i = 0; i < 5; ++i) LaunchShort(nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(g_fatal, 1);
    const uint64_t written = Stats().records_written;
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    EXPECT_EQ(Stats().records_written, written);
    EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_ERROR_INVALID_PARAMETER);
  });
}

void CheckPoison(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* cbdata) {
  const auto* data = static_cast<const CUpti_CallbackData*>(cbdata);
  EXPECT_GT(reinterpret_cast<uintptr_t>(data->symbolName),
            0x8000'0000'0000'0000u);  // cudaDeviceSynchronize is no launch
  if (data->callbackSite == CUPTI_API_ENTER) {
    EXPECT_GT(reinterpret_cast<uintptr_t>(data->functionReturnValue), 0x8000'0000'0000'0000u);
  }
  if (data->callbackSite == CUPTI_API_EXIT) {
    EXPECT_EQ(*static_cast<int*>(data->functionReturnValue), 0);
  }
  ++g_calls;
}

TEST(Errors, GarbageInUnusedCallbackFields) {
  Scenario("cupti.garbage", [] {
    CUpti_SubscriberHandle subscriber = nullptr;
    ASSERT_EQ(cuptiSubscribe(&subscriber, CheckPoison, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_SUCCESS);
    cudaDeviceSynchronize();
    EXPECT_EQ(g_calls, 2);
  });
}

TEST(Errors, MisspeltPointEndsTheRun) {
  ScenarioDies("cupti.version=28 | cupti.widthhold_partial", "unknown point cupti.widthhold_partial", [] {
    uint32_t version = 0;
    cuptiGetVersion(&version);
  });
}

TEST(Errors, MalformedPlanEndsTheRun) {
  ScenarioDies("cupti.drop=kernels:5", "cupti.drop", [] {
    uint32_t version = 0;
    cuptiGetVersion(&version);
  });
}

TEST(Errors, UnimplementedFunctionsSaySoOnce) {
  const Outcome outcome = RunChild("", [] {
    EXPECT_EQ(cuptiComputeCapabilitySupported(9, 0, nullptr), CUPTI_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuptiComputeCapabilitySupported(9, 0, nullptr), CUPTI_ERROR_NOT_SUPPORTED);
  });
  EXPECT_EQ(outcome.code, 0);
  const size_t first = outcome.errors.find("cuptiComputeCapabilitySupported is not simulated");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.errors.find("cuptiComputeCapabilitySupported", first + 1), std::string::npos);
}

}  // namespace
}  // namespace simgpu_test
