// Buffers: who is asked for them, when they are declined, what is written into them.
#include <cupti.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

void LaunchOnTwoThreads() {
  cudaFree(nullptr);
  std::thread other([] { LaunchShort(nullptr); });
  other.join();
  LaunchShort(nullptr);
  cudaDeviceSynchronize();
}

TEST(Buffers, OnePerThreadAskedForOnThatThread) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchOnTwoThreads();
    client.Flush();
    const auto threads = client.RequestThreads();
    ASSERT_EQ(threads.size(), 2u);
    EXPECT_NE(threads[0], gettid());
    EXPECT_EQ(threads[1], gettid());
    EXPECT_EQ(client.Buffers().size(), 2u);
    EXPECT_EQ(client.Kernels().size(), 2u);
  });
}

TEST(Buffers, OnePerContextWhenAttributeNineIsZero) {
  Scenario("", [] {
    uint8_t off = 0;
    size_t size = sizeof(off);
    EXPECT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &size, &off), CUPTI_SUCCESS);
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchOnTwoThreads();
    client.Flush();
    EXPECT_EQ(client.RequestThreads().size(), 1u);
    EXPECT_EQ(client.Kernels().size(), 2u);
  });
}

TEST(Buffers, CompleteCallbackHasNoContextAndNoStream) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    const auto buffers = client.Buffers();
    ASSERT_EQ(buffers.size(), 1u);
    EXPECT_EQ(buffers[0].context, nullptr);
    EXPECT_EQ(buffers[0].stream, 0u);
    EXPECT_EQ(buffers[0].size, client.buffer_bytes);
    EXPECT_EQ(buffers[0].valid, sizeof(CUpti_ActivityKernel10));
    EXPECT_EQ(client.last_walk(), CUPTI_ERROR_MAX_LIMIT_REACHED);
  });
}

TEST(Buffers, MaxNumRecordsIsHonoured) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.max_records = 2;
    client.Register();
    client.Enable({kKernelKind});
    for (int i = 0; i < 5; ++i) LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    const auto buffers = client.Buffers();
    ASSERT_EQ(buffers.size(), 3u);
    EXPECT_EQ(client.Kernels().size(), 5u);
    size_t single = 0;
    for (const auto& buffer : buffers) {
      EXPECT_LE(buffer.valid, 2 * sizeof(CUpti_ActivityKernel10));
      single += buffer.valid == sizeof(CUpti_ActivityKernel10) ? 1 : 0;
    }
    EXPECT_EQ(single, 1u);
  });
}

TEST(Buffers, DeclinedBufferDropsAndTheCountResetsOnRead) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.decline = true;
    client.Register();
    client.Enable({kKernelKind});
    for (int i = 0; i < 3; ++i) LaunchShort(nullptr);
    cudaDeviceSynchronize();
    size_t dropped = 99;
    EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
    EXPECT_EQ(dropped, 3u);
    EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
    EXPECT_EQ(dropped, 0u);
    EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, nullptr), CUPTI_ERROR_INVALID_PARAMETER);
    client.decline = false;  // the next request is a new chance
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(client.Kernels().size(), 1u);
  });
}

TEST(Buffers, TooSmallABufferDropsAndComesBackEmpty) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.buffer_bytes = 64;
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    EXPECT_TRUE(Eventually([&] { return !client.Buffers().empty(); }));
    size_t dropped = 0;
    cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    EXPECT_EQ(dropped, 1u);
    EXPECT_EQ(client.Buffers()[0].valid, 0u);
  });
}

TEST(Buffers, MisalignedBufferIsMisuse) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.misalign = true;
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    EXPECT_EQ(simcuptiViolations(), 1u);
    EXPECT_NE(std::string(simcuptiViolation(0)).find("aligned"), std::string::npos);
  });
}

TEST(Buffers, ClearedByCuptiUnlessAttributeFiveSaysTheClientDid) {
  for (const bool zeroed : {false, true}) {
    Scenario("", [zeroed] {
      uint8_t value = zeroed ? 1 : 0;
      size_t size = sizeof(value);
      EXPECT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &value),
                CUPTI_SUCCESS);
      Client& client = Client::Get();
      client.fill_byte = 0x77;
      client.Register();
      client.Enable({kKernelKind});
      LaunchShort(nullptr);
      cudaDeviceSynchronize();
      client.Flush();
      const auto buffers = client.Buffers();
      ASSERT_EQ(buffers.size(), 1u);
      EXPECT_EQ(buffers[0].data[buffers[0].valid], zeroed ? 0x77 : 0);
    });
  }
}

// Bug log row 43: NULL is legal from API version 27 (CUDA 12.9) on, and kills older versions.
TEST(Buffers, BugLog43_NullBufferByVersion) {
  const auto body = [] {
    Client& client = Client::Get();
    client.decline = true;
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
  };
  ScenarioDies("cupti.version=26", "NULL activity buffer", body);
  Scenario("cupti.version=27", body);
}

TEST(Buffers, FullAndCompleteBufferComesBackByItselfOnAnotherThread) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.buffer_bytes = 4 * sizeof(CUpti_ActivityKernel10);
    client.Register();
    client.Enable({kKernelKind});
    for (int i = 0; i < 5; ++i) LaunchShort(nullptr);
    cudaDeviceSynchronize();
    EXPECT_TRUE(Eventually([&] { return client.Buffers().size() == 1; }));
    EXPECT_NE(client.Buffers()[0].thread, gettid());
    EXPECT_EQ(client.Kernels().size(), 4u);
  });
}

TEST(Buffers, EndedThreadsRecordsAreNotLost) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    for (int i = 0; i < 3; ++i) std::thread([] { LaunchShort(nullptr); }).join();
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(client.Kernels().size(), 3u);
    EXPECT_EQ(Stats().buffers_outstanding, 0u);
  });
}

// As the 13.0 library itself answers (run without a GPU).
TEST(Buffers, WalkEndsAsTheRealLibraryEnds) {
  Scenario("", [] {
    alignas(8) uint8_t buffer[512] = {};
    const CUpti_ActivityKind kernel = kKernelKind, runtime = CUPTI_ACTIVITY_KIND_RUNTIME;
    std::memcpy(buffer, &kernel, sizeof(kernel));
    std::memcpy(buffer + sizeof(CUpti_ActivityKernel10), &runtime, sizeof(runtime));
    const size_t valid = sizeof(CUpti_ActivityKernel10) + sizeof(CUpti_ActivityAPI);
    CUpti_Activity* record = nullptr;
    EXPECT_EQ(cuptiActivityGetNextRecord(nullptr, valid, &record), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiActivityGetNextRecord(buffer, 0, &record), CUPTI_ERROR_MAX_LIMIT_REACHED);
    EXPECT_EQ(cuptiActivityGetNextRecord(buffer, 100, &record), CUPTI_ERROR_MAX_LIMIT_REACHED);
    EXPECT_EQ(cuptiActivityGetNextRecord(buffer, sizeof(buffer), &record), CUPTI_SUCCESS);
    EXPECT_EQ(reinterpret_cast<uint8_t*>(record), buffer);
    EXPECT_EQ(cuptiActivityGetNextRecord(buffer, sizeof(buffer), &record), CUPTI_SUCCESS);
    EXPECT_EQ(reinterpret_cast<uint8_t*>(record), buffer + sizeof(CUpti_ActivityKernel10));
    CUpti_Activity* last = record;
    EXPECT_EQ(cuptiActivityGetNextRecord(buffer, sizeof(buffer), &record), CUPTI_ERROR_INVALID_KIND);  // kind 0
    EXPECT_EQ(cuptiActivityGetNextRecord(buffer, valid, &last), CUPTI_ERROR_MAX_LIMIT_REACHED);
    EXPECT_EQ(record, last);  // left alone on error
  });
}

std::vector<uint8_t*> g_other_got;
int g_other_asked = 0;

void OtherRequest(uint8_t** buffer, size_t* size, size_t* max_records) {
  alignas(8) static uint8_t memory[64 * 1024];
  ++g_other_asked;
  *buffer = memory;
  *size = sizeof memory;
  *max_records = 0;
}

void OtherComplete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t) { g_other_got.push_back(buffer); }

// One set of call-backs a process: whoever registers last gets everything, also the buffers the first one lent.
TEST(Buffers, ALaterClientReplacesTheEarlierAndIsGivenItsBuffers) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    ASSERT_EQ(cuptiActivityRegisterCallbacks(OtherRequest, OtherComplete), CUPTI_SUCCESS);
    client.Flush();
    EXPECT_EQ(g_other_got, client.Given());
    EXPECT_TRUE(client.Buffers().empty());
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    EXPECT_EQ(g_other_asked, 1);
    client.Register();  // and back
    client.Flush();
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(client.Kernels().size(), 2u) << "one in the other's buffer, one in its own";
  });
}

}  // namespace
}  // namespace simgpu_test
