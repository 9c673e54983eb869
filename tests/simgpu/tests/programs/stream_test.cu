// Streams, events, waits and host functions: order, timing by the model, answers of queries.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels.h"

namespace {

constexpr int kStreamCount = 256;

uint64_t Now() { return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); }

// What a program does that polls memory the device writes: no lock orders the two, so ThreadSanitizer must not look.
__attribute__((no_sanitize_thread, noinline)) int Poll(const int* flag) {
  return *static_cast<const volatile int*>(flag);
}

class Streams : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(kernels::Register(), nullptr);
    ASSERT_EQ(cudaStreamCreateWithFlags(&a_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&b_, cudaStreamNonBlocking), cudaSuccess);
    for (cudaEvent_t& event : events_) ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&device_, kStreamCount * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemset(device_, 0, kStreamCount * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (cudaEvent_t event : events_) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(a_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(b_), cudaSuccess);
    EXPECT_EQ(cudaFree(device_), cudaSuccess);
  }
  int First() {
    int value = -1;
    EXPECT_EQ(cudaMemcpy(&value, device_, sizeof(value), cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
  }
  // Keeps the stream busy long enough for everything else to be queued behind it.
  void Block(cudaStream_t stream) { Busy<<<1, 1, 0, stream>>>(50'000'000); }

  cudaStream_t a_ = nullptr, b_ = nullptr;
  cudaEvent_t events_[4] = {};
  int* device_ = nullptr;
};

TEST_F(Streams, EventTimingEqualsTheModelExactly) {
  Block(a_);
  ASSERT_EQ(cudaEventRecord(events_[0], a_), cudaSuccess);
  AddOne<<<1, kStreamCount, 0, a_>>>(device_, kStreamCount);
  Busy<<<1, 1, 0, a_>>>(123'456);
  ASSERT_EQ(cudaEventRecord(events_[1], a_), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(events_[1]), cudaSuccess);
  float milliseconds = 0;
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, events_[0], events_[1]), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, static_cast<float>(kernels::kAddOneNs + 123'456) / 1e6f);
}

TEST_F(Streams, StreamsRunAtTheSameTime) {
  Block(a_);
  ASSERT_EQ(cudaEventRecord(events_[0], a_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(b_, events_[0]), cudaSuccess);
  Busy<<<1, 1, 0, a_>>>(2'000'000);
  Busy<<<1, 1, 0, b_>>>(1'500'000);
  ASSERT_EQ(cudaEventRecord(events_[1], a_), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(events_[2], b_), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  float on_a = 0, on_b = 0;
  ASSERT_EQ(cudaEventElapsedTime(&on_a, events_[0], events_[1]), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&on_b, events_[0], events_[2]), cudaSuccess);
  EXPECT_FLOAT_EQ(on_a, 2.0f);
  EXPECT_FLOAT_EQ(on_b, 1.5f);
}

TEST_F(Streams, CrossStreamWaitOrdersTheEffects) {
  Busy<<<1, 1, 0, a_>>>(2'000'000);
  AddOne<<<1, kStreamCount, 0, a_>>>(device_, kStreamCount);
  ASSERT_EQ(cudaEventRecord(events_[0], a_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(b_, events_[0]), cudaSuccess);
  Scale<<<1, kStreamCount, 0, b_>>>(device_, kStreamCount, 10);
  ASSERT_EQ(cudaStreamSynchronize(b_), cudaSuccess);
  EXPECT_EQ(First(), 10);
}

TEST_F(Streams, WithoutAWaitTheShortStreamIsFirst) {
  Busy<<<1, 1, 0, a_>>>(60'000'000);
  AddOne<<<1, kStreamCount, 0, a_>>>(device_, kStreamCount);
  Scale<<<1, kStreamCount, 0, b_>>>(device_, kStreamCount, 10);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(First(), 1);
}

TEST_F(Streams, SynchronizeReturnsNoEarlierThanTheModel) {
  const uint64_t begin = Now();
  Busy<<<1, 1, 0, a_>>>(4'000'000);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_GE(Now() - begin, 4'000'000u);
}

TEST_F(Streams, QueriesSayNotReadyThenReady) {
  Busy<<<1, 1, 0, a_>>>(100'000'000);
  ASSERT_EQ(cudaEventRecord(events_[0], a_), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(a_), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaErrorNotReady);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events_[0], events_[0]), cudaErrorNotReady);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  while (cudaEventQuery(events_[0]) == cudaErrorNotReady) {
  }
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(a_), cudaSuccess);
}

TEST_F(Streams, NeverRecordedEventIsReadyButHasNoTime) {
  EXPECT_EQ(cudaEventQuery(events_[0]), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(events_[0]), cudaSuccess);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events_[0], events_[0]), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_F(Streams, HostFunctionsRunInOrderOnTheDeviceThread) {
  struct Seen {
    std::thread::id thread;
    int order = 0;
  };
  static std::atomic<int> next{0};
  next = 0;
  Seen first, second;
  auto note = [](void* data) {
    auto* seen = static_cast<Seen*>(data);
    seen->thread = std::this_thread::get_id();
    seen->order = ++next;
  };
  Busy<<<1, 1, 0, a_>>>(50'000'000);
  ASSERT_EQ(cudaLaunchHostFunc(a_, note, &first), cudaSuccess);
  Busy<<<1, 1, 0, a_>>>(1'000'000);
  ASSERT_EQ(cudaLaunchHostFunc(a_, note, &second), cudaSuccess);
  EXPECT_EQ(next.load(), 0);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(first.order, 1);
  EXPECT_EQ(second.order, 2);
  EXPECT_EQ(first.thread, second.thread);
  EXPECT_NE(first.thread, std::this_thread::get_id());
}

TEST_F(Streams, WorkBehindASlowHostFunctionWaitsForIt) {
  auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  ASSERT_EQ(cudaEventRecord(events_[0], a_), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(a_, sleep, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(events_[1], a_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(b_, events_[1]), cudaSuccess);
  AddOne<<<1, kStreamCount, 0, b_>>>(device_, kStreamCount);
  EXPECT_EQ(cudaStreamQuery(b_), cudaErrorNotReady);
  ASSERT_EQ(cudaStreamSynchronize(b_), cudaSuccess);
  float milliseconds = 0;
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, events_[0], events_[1]), cudaSuccess);
  EXPECT_GE(milliseconds, 99.9f);
  EXPECT_EQ(First(), 1);
}

TEST_F(Streams, CompletionsArriveWithoutAnObserver) {
  static std::atomic<bool> ran;
  ran = false;
  Busy<<<1, 1, 0, a_>>>(1'000'000);
  ASSERT_EQ(cudaLaunchHostFunc(
                a_, [](void*) { ran = true; }, nullptr),
            cudaSuccess);
  for (int i = 0; i < 2000 && !ran; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(ran);
}

TEST_F(Streams, PinnedMemoryCanBePolled) {
  int* flag = nullptr;
  ASSERT_EQ(cudaMallocHost(&flag, sizeof(int)), cudaSuccess);
  *flag = 0;
  AddOne<<<1, kStreamCount, 0, a_>>>(device_, kStreamCount);
  ASSERT_EQ(cudaMemcpyAsync(flag, device_, sizeof(int), cudaMemcpyDeviceToHost, a_), cudaSuccess);
  for (int i = 0; i < 2000 && Poll(flag) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(Poll(flag), 1);
  EXPECT_EQ(cudaFreeHost(flag), cudaSuccess);
}

TEST_F(Streams, CallbackGetsItsStreamAndStatus) {
  struct Got {
    cudaStream_t stream = nullptr;
    cudaError_t status = cudaErrorUnknown;
  } got;
  auto note = [](cudaStream_t stream, cudaError_t status, void* data) { *static_cast<Got*>(data) = {stream, status}; };
  ASSERT_EQ(cudaStreamAddCallback(a_, note, &got, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(got.stream, a_);
  EXPECT_EQ(got.status, cudaSuccess);
}

TEST_F(Streams, BadHandlesAreRefused) {
  cudaStream_t gone = nullptr;
  ASSERT_EQ(cudaStreamCreate(&gone), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(gone), cudaErrorInvalidResourceHandle);
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, a_), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_F(Streams, DestroyedStreamFinishesItsWork) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  Busy<<<1, 1, 0, stream>>>(3'000'000);
  AddOne<<<1, kStreamCount, 0, stream>>>(device_, kStreamCount);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(First(), 1);
}

TEST_F(Streams, LegacyDefaultStreamOrdersItselfWithBlockingStreams) {
  cudaStream_t blocking = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  Busy<<<1, 1, 0, blocking>>>(3'000'000);
  AddOne<<<1, kStreamCount, 0, blocking>>>(device_, kStreamCount);
  Scale<<<1, kStreamCount>>>(device_, kStreamCount, 10);            // after `blocking`
  AddOne<<<1, kStreamCount, 0, blocking>>>(device_, kStreamCount);  // after the default stream
  ASSERT_EQ(cudaStreamSynchronize(blocking), cudaSuccess);
  EXPECT_EQ(First(), 11);
  EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
}

TEST_F(Streams, LegacyDefaultStreamIgnoresNonBlockingStreams) {
  Busy<<<1, 1, 0, a_>>>(60'000'000);
  AddOne<<<1, kStreamCount, 0, a_>>>(device_, kStreamCount);
  Scale<<<1, kStreamCount>>>(device_, kStreamCount, 10);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(First(), 1);
}

TEST_F(Streams, ManyThreadsLaunchTogether) {
  constexpr int kThreads = 4, kEach = 200;
  kernels::Register()->set_cost("*AddOne*", 1000);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this] {
      cudaStream_t stream = nullptr;
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
      for (int i = 0; i < kEach; ++i) AddOne<<<1, kStreamCount, 0, stream>>>(device_, kStreamCount);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    });
  }
  for (std::thread& thread : threads) thread.join();
  kernels::Register()->set_cost("*AddOne*", kernels::kAddOneNs);
  EXPECT_EQ(First(), kThreads * kEach);
}

}  // namespace
