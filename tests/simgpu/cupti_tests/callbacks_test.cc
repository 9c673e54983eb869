// The Callback API: one subscriber, only what was enabled, and what the callback data says.
#include <cupti.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

constexpr auto kLaunch = CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000;

struct Seen {
  CUpti_CallbackDomain domain;
  CUpti_CallbackId cbid;
  CUpti_CallbackData data;
  std::string symbol;
  uint64_t shared = 0;
  int result = -1;
};

std::vector<Seen>& Log() {
  static std::vector<Seen> log;
  return log;
}

void Record(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* cbdata) {
  EXPECT_EQ(user, &Log());
  Seen seen{domain, cbid, {}, "", 0, -1};
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto* data = static_cast<const CUpti_CallbackData*>(cbdata);
    seen.data = *data;
    if (data->callbackSite == CUPTI_API_ENTER) {
      EXPECT_EQ(*data->correlationData, 0u);
      *data->correlationData = data->correlationId + 1000u;
    } else {
      seen.result = *static_cast<int*>(data->functionReturnValue);
    }
    seen.shared = *data->correlationData;
    if (cbid == kLaunch && domain == CUPTI_CB_DOMAIN_RUNTIME_API) seen.symbol = data->symbolName;
  }
  Log().push_back(seen);
}

CUpti_SubscriberHandle SubscribeLog() {
  CUpti_SubscriberHandle subscriber = nullptr;
  EXPECT_EQ(cuptiSubscribe(&subscriber, Record, &Log()), CUPTI_SUCCESS);
  return subscriber;
}

TEST(Callbacks, SubscribingEnablesNothing) {
  Scenario("", [] {
    SubscribeLog();
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    EXPECT_TRUE(Log().empty());
  });
}

// Bug log row 34: a stand-in that delivered everything hid a missing subscription.
TEST(Callbacks, BugLog34_OnlyEnabledPairsAreDelivered) {
  Scenario("", [] {
    CUpti_SubscriberHandle subscriber = SubscribeLog();
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    ASSERT_EQ(Log().size(), 2u);
    for (const Seen& seen : Log()) {
      EXPECT_EQ(seen.domain, CUPTI_CB_DOMAIN_RUNTIME_API);
      EXPECT_EQ(seen.cbid, kLaunch);
    }
    EXPECT_EQ(cuptiEnableCallback(0, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    EXPECT_EQ(Log().size(), 2u);
  });
}

TEST(Callbacks, DataOfALaunch) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
    CUpti_SubscriberHandle subscriber = SubscribeLog();
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch), CUPTI_SUCCESS);
    cudaFree(nullptr);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    ASSERT_EQ(Log().size(), 2u);
    const Seen& enter = Log()[0];
    const Seen& exit = Log()[1];
    EXPECT_EQ(enter.data.callbackSite, CUPTI_API_ENTER);
    EXPECT_EQ(exit.data.callbackSite, CUPTI_API_EXIT);
    EXPECT_EQ(enter.data.correlationId, exit.data.correlationId);
    EXPECT_EQ(exit.shared, enter.data.correlationId + 1000u);  // carried from enter to exit
    EXPECT_EQ(exit.result, cudaSuccess);
    EXPECT_EQ(enter.data.functionReturnValue, nullptr);  // valid at exit only
    EXPECT_NE(enter.symbol.find("ShortKernel"), std::string::npos);
    EXPECT_EQ(enter.data.functionName, exit.data.functionName);
    uint32_t context_id = 0;
    EXPECT_EQ(cuptiGetContextId(exit.data.context, &context_id), CUPTI_SUCCESS);
    EXPECT_EQ(exit.data.contextUid, context_id);
    ASSERT_EQ(client.Kernels().size(), 1u);
    EXPECT_EQ(client.Kernels()[0].correlationId, enter.data.correlationId);
  });
}

TEST(Callbacks, NestedDriverCallHasItsRuntimeCallsId) {
  Scenario("", [] {
    CUpti_SubscriberHandle subscriber = SubscribeLog();
    cudaFree(nullptr);
    EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    ASSERT_GE(Log().size(), 4u);
    EXPECT_EQ(Log().front().domain, CUPTI_CB_DOMAIN_RUNTIME_API);
    EXPECT_EQ(Log().back().domain, CUPTI_CB_DOMAIN_RUNTIME_API);
    for (const Seen& seen : Log()) EXPECT_EQ(seen.data.correlationId, Log().front().data.correlationId);
  });
}

TEST(Callbacks, ResourceAndSynchroniseDomains) {
  Scenario("", [] {
    CUpti_SubscriberHandle subscriber = SubscribeLog();
    EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_SYNCHRONIZE), CUPTI_SUCCESS);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    LaunchShort(stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaDeviceSynchronize();
    std::multiset<std::pair<int, uint32_t>> pairs;
    for (const Seen& seen : Log()) pairs.emplace(seen.domain, seen.cbid);
    EXPECT_EQ(pairs.count({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED}), 1u);
    EXPECT_EQ(pairs.count({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED}), 1u);
    EXPECT_EQ(pairs.count({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED}), 1u);
    EXPECT_EQ(pairs.count({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING}), 1u);
    EXPECT_GE(pairs.count({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED}), 1u);
    EXPECT_EQ(pairs.count({CUPTI_CB_DOMAIN_SYNCHRONIZE, CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED}), 1u);
    EXPECT_EQ(pairs.count({CUPTI_CB_DOMAIN_SYNCHRONIZE, CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED}), 1u);
  });
}

TEST(Callbacks, BugLog41_IdsOutsideTheDomainAreRefused) {
  Scenario("", [] {
    CUpti_SubscriberHandle subscriber = SubscribeLog();
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_SYNCHRONIZE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED + 2),
              CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, 0), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE),
              CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiEnableCallback(1, nullptr, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_INVALID), CUPTI_ERROR_INVALID_PARAMETER);
    uint32_t enabled = 7;
    EXPECT_EQ(cuptiGetCallbackState(&enabled, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_SUCCESS);
    EXPECT_EQ(enabled, 0u);
    EXPECT_EQ(cuptiEnableAllDomains(1, subscriber), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiGetCallbackState(&enabled, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_SUCCESS);
    EXPECT_EQ(enabled, 1u);
  });
}

TEST(Callbacks, BugLog59_SecondSubscriberGets39AndTheNameOfTheFirst) {
  Scenario("", [] {
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "first tool";
    CUpti_SubscriberHandle first = nullptr, second = nullptr;
    ASSERT_EQ(cuptiSubscribe_v2(&first, Record, &Log(), &params), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiSubscribe(&second, Record, &Log()), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    char name[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    params.oldSubscriberName = name;
    params.oldSubscriberSize = sizeof(name);
    EXPECT_EQ(cuptiSubscribe_v2(&second, Record, &Log(), &params), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT_STREQ(name, "CUPTI for first tool");
    params.structSize = 0;
    EXPECT_EQ(cuptiSubscribe_v2(&second, Record, &Log(), &params), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiUnsubscribe(first), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiUnsubscribe(first), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiSubscribe(&second, Record, &Log()), CUPTI_SUCCESS);
  });
}

TEST(Callbacks, NamesAreThoseOfTheRealLibrary) {
  Scenario("", [] {
    const char* name = nullptr;
    EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &name),
              CUPTI_SUCCESS);
    EXPECT_STREQ(name, "cuLaunchKernel");
    EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch, &name), CUPTI_SUCCESS);
    EXPECT_STREQ(name, "__cudaLaunchKernel_v13000");
    EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 0, &name), CUPTI_SUCCESS);
    EXPECT_STREQ(name, "INVALID");
    EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 600, &name), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RESOURCE, 13, &name), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(name, nullptr);
  });
}

TEST(Callbacks, CallbacksWithoutRecordsNeedNoBuffers) {
  Scenario("", [] {
    CUpti_SubscriberHandle subscriber = SubscribeLog();
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_SUCCESS);
    cudaDeviceSynchronize();
    EXPECT_EQ(Log().size(), 2u);
    EXPECT_EQ(Stats().buffers_requested, 0u);
  });
}

}  // namespace
}  // namespace simgpu_test
