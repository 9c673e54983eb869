// The flush rules of cupti_activity.h:7709-7750 and 8071-8089.
#include <cupti.h>
#include <gtest/gtest.h>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

void SleepMs(long milliseconds) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

TEST(Flush, BeforeRegisterIsInvalid) {
  Scenario("", [] {
    EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_INVALID_OPERATION);
    EXPECT_EQ(cuptiActivityFlush(nullptr, 0, 0), CUPTI_ERROR_INVALID_OPERATION);
    Client::Get().Register();
    EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  });
}

TEST(Flush, PeriodReturnsFullBuffersOnly) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.buffer_bytes = 2 * sizeof(CUpti_ActivityKernel10);
    client.Register();
    client.Enable({kKernelKind});
    EXPECT_EQ(cuptiActivityFlushPeriod(10), CUPTI_SUCCESS);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    SleepMs(60);
    EXPECT_TRUE(client.Buffers().empty());  // half full, however long one waits
    for (int i = 0; i < 2; ++i) LaunchShort(nullptr);
    cudaDeviceSynchronize();
    EXPECT_TRUE(Eventually([&] { return client.Buffers().size() == 1; }));
    EXPECT_EQ(client.Kernels().size(), 2u);
    client.Flush();
    EXPECT_EQ(client.Kernels().size(), 3u);
  });
}

TEST(Flush, PlainFlushLeavesABufferWithARunningKernel) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    LaunchLong(nullptr);
    client.Flush();
    EXPECT_TRUE(client.Buffers().empty());  // the finished short kernel shares the buffer
    cudaDeviceSynchronize();
    client.Flush();
    ASSERT_EQ(client.Kernels().size(), 2u);
    EXPECT_GT(client.Kernels()[1].end, client.Kernels()[0].end);
  });
}

TEST(Flush, FullBufferWithARunningKernelIsHeldBackToo) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.buffer_bytes = sizeof(CUpti_ActivityKernel10);
    client.Register();
    client.Enable({kKernelKind});
    LaunchLong(nullptr);
    LaunchShort(nullptr);
    client.Flush();
    EXPECT_TRUE(client.Buffers().empty());
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(client.Buffers().size(), 2u);
  });
}

// Bug log row 49: documented behaviour. The late completion must not touch memory that went back.
TEST(Flush, BugLog49_ForcedFlushHandsOutTheRunningKernelOnce) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchLong(nullptr);
    client.ForceFlush();
    auto kernels = client.Kernels();
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].start, 0u);
    EXPECT_EQ(kernels[0].end, 0u);
    const Returned returned = client.Buffers()[0];
    std::memset(returned.data, 0x3c, returned.size);
    cudaDeviceSynchronize();
    EXPECT_TRUE(Eventually([] { return Stats().late_completions == 1; }));
    for (size_t i = 0; i < returned.size; ++i) ASSERT_EQ(returned.data[i], 0x3c) << i;
    client.ForceFlush();
    EXPECT_EQ(client.Kernels().size(), 1u);  // never sent again
  });
}

TEST(Flush, ForcedFlushReturnsEmptyBuffersToo) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.ForceFlush();
    EXPECT_EQ(Stats().buffers_outstanding, 0u);
    EXPECT_EQ(client.Buffers().size(), 1u);
  });
}

TEST(Flush, DoesNotSynchroniseTheDevice) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    LaunchLong(stream);
    client.ForceFlush();
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  });
}

TEST(Flush, BugLog48_WithheldPartialBufferNeedsForce) {
  Scenario("cupti.withhold_partial", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_TRUE(client.Buffers().empty());
    client.ForceFlush();
    EXPECT_EQ(client.Kernels().size(), 1u);
  });
}

}  // namespace
}  // namespace simgpu_test
