// Things that concern the whole process: initialisation, injection, environment, fork, exit. Most run in a child or
// under an environment that tests/CMakeLists.txt sets; a test whose environment is absent is skipped.
#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "kernels.h"

namespace {

// Exit status of `body` in a forked child.
template <typename Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool Set(const char* variable) { return std::getenv(variable) != nullptr; }

TEST(Fork, ChildOfAnInitialisedProcessIsNotInitialised) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  Busy<<<1, 1>>>(50'000'000);  // the device is busy and its thread alive at the fork
  EXPECT_EQ(InChild([] {
              void* other = nullptr;
              if (cudaMalloc(&other, 64) != cudaErrorInitializationError) return 1;
              if (cuInit(0) != CUDA_ERROR_NOT_INITIALIZED) return 2;
              if (cudaDeviceSynchronize() != cudaErrorInitializationError) return 3;
              Busy<<<1, 1>>>(1);
              return cudaGetLastError() == cudaErrorInitializationError ? 0 : 4;
            }),
            0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// Own process: the parent must not have touched CUDA.
TEST(ForkFirst, ChildOfAFreshProcessMayUseCuda) {
  EXPECT_EQ(InChild([] {
              void* memory = nullptr;
              if (cudaMalloc(&memory, 64) != cudaSuccess) return 1;
              Busy<<<1, 1>>>(1000);
              return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
            }),
            0);
}

int g_late_result = -1;

void CallLate() {
  int count = 0;
  g_late_result = static_cast<int>(cuDeviceGetCount(&count));
  if (g_late_result != CUDA_ERROR_DEINITIALIZED) _exit(9);
}

TEST(Exit, CallsAfterExitBeganAreRefused) {
  EXPECT_EXIT(
      {
        std::atexit(CallLate);  // before cuInit, so it runs after the driver's own handler
        cuInit(0);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(DriverOnly, NothingWorksBeforeInit) {
  EXPECT_EXIT(
      {
        int count = 0;
        std::_Exit(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED && cuInit(1) == CUDA_ERROR_INVALID_VALUE ? 5
                                                                                                                   : 6);
      },
      testing::ExitedWithCode(5), "");
}

TEST(Injection, IsInitialisedOnceInsideCuInitAndMayCallCuda) {
  if (!Set("CUDA_INJECTION64_PATH")) GTEST_SKIP() << "CUDA_INJECTION64_PATH is not set";
  EXPECT_EQ(dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD), nullptr) << "loaded before cuInit";
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  void* probe = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(probe, nullptr);
  EXPECT_EQ(*static_cast<int*>(dlsym(probe, "probe_calls")), 1);
  EXPECT_EQ(*static_cast<int*>(dlsym(probe, "probe_devices")), 1);
  EXPECT_EQ(*static_cast<int*>(dlsym(probe, "probe_second_init")), 0);
}

TEST(InjectionFault, MissingLibraryLeavesTheProgramAlone) {
  if (!Set("CUDA_INJECTION64_PATH")) GTEST_SKIP() << "CUDA_INJECTION64_PATH is not set";
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD), nullptr);
}

// SIMGPU_FAULTS="api.cudaMalloc=2@3*1;api.cuMemcpyHtoD_v2=700@2"
TEST(FaultPlan, ApiErrorByNameAndCount) {
  if (!Set("SIMGPU_FAULTS")) GTEST_SKIP() << "SIMGPU_FAULTS is not set";
  void* memory[4] = {};
  EXPECT_EQ(cudaMalloc(&memory[0], 64), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory[1], 64), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory[2], 64), cudaErrorMemoryAllocation);
  EXPECT_EQ(memory[2], nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory[3], 64), cudaSuccess);
  int value = 1;
  EXPECT_EQ(cudaMemcpy(memory[0], &value, sizeof(value), cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(memory[0], &value, sizeof(value), cudaMemcpyHostToDevice), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaMemcpy(memory[0], &value, sizeof(value), cudaMemcpyHostToDevice), cudaErrorIllegalAddress);
}

// SIMGPU_API_COST="cudaStreamQuery=3ms"
TEST(ApiCost, CallTakesAtLeastItsModelledTime) {
  if (!Set("SIMGPU_API_COST")) GTEST_SKIP() << "SIMGPU_API_COST is not set";
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(3));
}

// SIMGPU_COST="*Busy*=250us;AddOne(int*, int)=10us+1us/block;memset=100us;launch_latency=0"
TEST(CostConfiguration, PatternsBlocksAndTransfers) {
  if (!Set("SIMGPU_COST")) GTEST_SKIP() << "SIMGPU_COST is not set";
  ASSERT_NE(Simgpu(), nullptr);
  EXPECT_EQ(Simgpu()->model_cost("_Z4Busyx", 1), 250'000u);
  EXPECT_EQ(Simgpu()->model_cost("_Z6AddOnePii", 7), 17'000u);
  EXPECT_EQ(Simgpu()->model_cost("unknown", 1), 3'000u);    // 2 us + one wave
  EXPECT_EQ(Simgpu()->model_cost("unknown", 265), 4'000u);  // two waves
  Simgpu()->set_cost("_Z4Busyx", 5);
  EXPECT_EQ(Simgpu()->model_cost("_Z4Busyx", 1), 5u);
}

// SIMGPU_QUEUE_DEPTH=4
TEST(QueueDepth, FullQueueBlocksTheLaunch) {
  if (!Set("SIMGPU_QUEUE_DEPTH")) GTEST_SKIP() << "SIMGPU_QUEUE_DEPTH is not set";
  ASSERT_NE(kernels::Register(), nullptr);
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 7; ++i) Busy<<<1, 1>>>(5'000'000);
  // The seventh found four queued: three must have ended before it was accepted.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(15));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(NoDevice, InitSaysSo) {
  if (!Set("SIMGPU_DEVICES")) GTEST_SKIP() << "SIMGPU_DEVICES is not set";
  int count = 7;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorNoDevice);
}

TEST(TwoDevices, EachHasItsContextAndMemory) {
  if (!Set("SIMGPU_DEVICES")) GTEST_SKIP() << "SIMGPU_DEVICES is not set";
  int count = 0, device = -1;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  ASSERT_EQ(count, 2);
  int* memory[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cudaSetDevice(i), cudaSuccess);
    ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, i);
    ASSERT_EQ(cudaMalloc(&memory[i], sizeof(int)), cudaSuccess);
    cudaPointerAttributes attributes{};
    ASSERT_EQ(cudaPointerGetAttributes(&attributes, memory[i]), cudaSuccess);
    EXPECT_EQ(attributes.device, i);
  }
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  cudaGetLastError();
  int value = 77, back = 0;
  ASSERT_EQ(cudaMemcpy(memory[0], &value, sizeof(value), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyPeer(memory[1], 1, memory[0], 0, sizeof(value)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&back, memory[1], sizeof(back), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, 77);
  cudaDeviceProp properties[2];
  for (int i = 0; i < 2; ++i) ASSERT_EQ(cudaGetDeviceProperties(&properties[i], i), cudaSuccess);
  EXPECT_NE(memcmp(&properties[0].uuid, &properties[1].uuid, sizeof(cudaUUID_t)), 0);
  EXPECT_EQ(properties[1].multiProcessorCount, 132);
}

TEST(Stub, FunctionThatIsNotModelledAnswersNotSupported) {
  auto function = reinterpret_cast<int (*)()>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuTexObjectCreate"));
  ASSERT_NE(function, nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(function(), 801);
  EXPECT_EQ(function(), 801);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "simgpu: cuTexObjectCreate is not modelled (801)\n");
}

}  // namespace
