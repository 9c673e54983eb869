// Faults of buffer handling, and the checks on what the client does inside CUPTI's callbacks.
#include <cupti.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

void Start() {
  Client::Get().Register();
  Client::Get().Enable({kKernelKind});
}

void LaunchKernels(int count) {
  for (int i = 0; i < count; ++i) LaunchShort(nullptr);
  cudaDeviceSynchronize();
}

TEST(BufferFaults, BugLog45_ManyBuffersBeforeTheFirstComesBack) {
  Scenario("cupti.prefetch=16", [] {
    Start();
    LaunchKernels(1);
    EXPECT_EQ(Client::Get().RequestThreads().size(), 16u);
    EXPECT_TRUE(Client::Get().Buffers().empty());
    EXPECT_EQ(Stats().buffers_outstanding, 16u);
  });
}

TEST(BufferFaults, FinishedBuffersPileUp) {
  Scenario("cupti.delay_complete=3", [] {
    Client::Get().max_records = 1;
    Start();
    LaunchKernels(3);
    Client::Get().Flush();
    EXPECT_TRUE(Client::Get().Buffers().empty());
    LaunchKernels(1);
    EXPECT_TRUE(Eventually([] { return Client::Get().Buffers().size() == 4; }));
  });
}

TEST(BufferFaults, BugLog44_BuffersKeptAndWrittenAfterStop) {
  Scenario("cupti.keep=1;cupti.write_after_stop=1", [] {
    Client& client = Client::Get();
    Start();
    LaunchKernels(1);
    client.ForceFlush();
    EXPECT_TRUE(client.Buffers().empty());
    EXPECT_EQ(Stats().late_writes, 0u);
    EXPECT_EQ(cuptiActivityDisable(kKernelKind), CUPTI_SUCCESS);
    EXPECT_TRUE(Eventually([] { return Stats().late_writes > 0; }));
    EXPECT_EQ(Stats().buffers_outstanding, 1u);
  });
}

TEST(BufferFaults, SlowCompleteAndSlowRequestTakeTheirTime) {
  Scenario("cupti.slow_complete=50;cupti.slow_request=30", [] {
    using Clock = std::chrono::steady_clock;
    Start();
    const auto begin = Clock::now();
    LaunchKernels(1);
    EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(30));
    const auto flush = Clock::now();
    Client::Get().Flush();
    EXPECT_GE(Clock::now() - flush, std::chrono::milliseconds(50));
    EXPECT_EQ(Client::Get().Kernels().size(), 1u);
  });
}

// Bug log row 22: the client holds its own lock while it calls CUPTI, and takes it in its complete callback.
TEST(BufferFaults, BugLog22_LockOrderInversionIsNamed) {
  static std::mutex client_lock;
  ScenarioDies("cupti.deadlock_ms=50;cupti.abort_on_violation", "lock-order inversion", [] {
    static std::atomic<bool> inside{false};
    Client::Get().in_complete = [] {
      inside = true;
      client_lock.lock();
    };
    Start();
    LaunchKernels(1);
    client_lock.lock();
    std::thread flusher([] { Client::Get().Flush(); });
    EXPECT_TRUE(Eventually([] { return inside.load(); }));
    size_t dropped = 0;
    cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    client_lock.unlock();
    flusher.join();
  });
}

TEST(BufferFaults, ForbiddenCallsFromBufferCallbacksAreMisuse) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.in_complete = [] {
      EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_INVALID_OPERATION);
      size_t dropped = 0;
      EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);  // NVIDIA's samples do it
    };
    client.in_request = [] { EXPECT_EQ(cuptiActivityDisable(kKernelKind), CUPTI_ERROR_INVALID_OPERATION); };
    Start();
    LaunchKernels(1);
    client.Flush();
    ASSERT_EQ(simcuptiViolations(), 2u);
    EXPECT_STREQ(simcuptiViolation(0), "cuptiActivityDisable called from inside the buffer request callback");
    EXPECT_STREQ(simcuptiViolation(1), "cuptiActivityFlushAll called from inside the buffer complete callback");
  });
}

TEST(BufferFaults, StrictForbidsEveryCallFromBufferCallbacks) {
  Scenario("cupti.strict", [] {
    Client& client = Client::Get();
    client.in_complete = [] {
      size_t dropped = 0;
      cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    };
    Start();
    LaunchKernels(1);
    client.Flush();
    ASSERT_GE(simcuptiViolations(), 1u);
    EXPECT_NE(std::string(simcuptiViolation(0)).find("cuptiActivityGetNumDroppedRecords"), std::string::npos);
  });
}

TEST(BufferFaults, ViolationsAreToldAtExit) {
  const Outcome outcome = RunChild("", [] {
    Client::Get().in_complete = [] { cuptiActivityFlushAll(0); };
    Start();
    LaunchKernels(1);
    Client::Get().Flush();
  });
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.errors.find("simcupti: violation: cuptiActivityFlushAll"), std::string::npos) << outcome.errors;
}

TEST(BufferFaults, EntryProbeSeesEveryCall) {
  Scenario("", [] {
    static std::atomic<int> calls{0};
    simcuptiSetEntryProbe(
        [](const char* function, void* user) {
          EXPECT_EQ(user, &calls);
          EXPECT_STREQ(function, "cuptiActivityFlushAll");
          ++calls;
        },
        &calls);
    cuptiActivityFlushAll(0);
    EXPECT_EQ(calls.load(), 1);
  });
}

// Bug log row 26: flush while other threads request and complete.
TEST(BufferFaults, BugLog26_FlushWhileThreadsLaunch) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.buffer_bytes = 4096;
    Start();
    cudaFree(nullptr);
    constexpr int kThreads = 4, kEach = 300;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([] {
        cudaStream_t stream = nullptr;
        cudaStreamCreate(&stream);
        for (int j = 0; j < kEach; ++j) LaunchShort(stream);
        cudaStreamSynchronize(stream);
      });
    }
    for (int i = 0; i < 50; ++i) client.Flush();
    for (auto& thread : threads) thread.join();
    client.ForceFlush();
    EXPECT_EQ(client.Kernels().size(), size_t{kThreads} * kEach);
    for (const auto& kernel : client.Kernels()) ASSERT_EQ(kernel.end - kernel.start, kShortNs);
    EXPECT_EQ(Stats().buffers_outstanding, 0u);
  });
}

}  // namespace
}  // namespace simgpu_test
