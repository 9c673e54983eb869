// The driver API alone: contexts, modules and libraries from files, launches, entry points.
#include <cuda.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "kernels.h"

namespace {

std::string Path(const char* name) { return std::string(SIMGPU_TEST_IMAGES) + "/" + name; }

std::vector<char> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

class Driver : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDeviceGet(&device_, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&context_, nullptr, 0, device_), CUDA_SUCCESS);
    static const SimgpuProgramApi* api = Simgpu();
    ASSERT_NE(api, nullptr);
    api->set_body(
        "Fill",
        [](const SimgpuLaunch* launch, void*) {
          auto* data = static_cast<int*>(api->host_pointer(Argument<int*>(launch, 0)));
          for (int i = 0; i < Argument<int>(launch, 1); ++i) data[i] = Argument<int>(launch, 2);
        },
        nullptr);
  }
  void TearDown() override { EXPECT_EQ(cuCtxDestroy(context_), CUDA_SUCCESS); }

  void CheckFill(CUfunction function) {
    CUdeviceptr data = 0;
    ASSERT_EQ(cuMemAlloc(&data, 4 * sizeof(int)), CUDA_SUCCESS);
    int count = 4, value = 31, host[4] = {};
    void* arguments[] = {&data, &count, &value};
    ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyDtoH(host, data, sizeof(host)), CUDA_SUCCESS);
    EXPECT_EQ(host[3], 31);
    EXPECT_EQ(cuMemFree(data), CUDA_SUCCESS);
  }

  CUdevice device_ = -1;
  CUcontext context_ = nullptr;
};

TEST_F(Driver, ModuleFromCubinFile) {
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoad(&module, Path("driver_kernels.cubin").c_str()), CUDA_SUCCESS);
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleGetFunction(&function, module, "Fill"), CUDA_SUCCESS);
  CheckFill(function);
  CUdeviceptr table = 0;
  size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal(&table, &bytes, module, "table"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4 * sizeof(int));
  int values[4] = {};
  ASSERT_EQ(cuMemcpyDtoH(values, table, sizeof(values)), CUDA_SUCCESS);
  EXPECT_EQ(values[2], 6);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "Absent"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, LibraryFromCompressedFatbin) {
  const std::vector<char> image = Read(Path("driver_kernels.fatbin"));
  ASSERT_FALSE(image.empty());
  CUlibrary library = nullptr;
  ASSERT_EQ(cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  unsigned count = 0;
  ASSERT_EQ(cuLibraryGetKernelCount(&count, library), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "Fill"), CUDA_SUCCESS);
  ASSERT_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
  CheckFill(function);
  CheckFill(reinterpret_cast<CUfunction>(kernel));  // documented: a CUkernel may be launched as it is
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
}

TEST_F(Driver, PtxModuleHasKernelsWithoutParameters) {
  std::vector<char> image = Read(Path("driver_kernels.ptx"));
  ASSERT_FALSE(image.empty());
  image.push_back(0);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, image.data()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "Fill"), CUDA_SUCCESS);
  size_t offset = 0, size = 0;
  EXPECT_EQ(cuFuncGetParamInfo(function, 0, &offset, &size), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, GarbageIsNoImage) {
  const char garbage[64] = "this is not a module";
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, garbage), CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(Driver, ContextStack) {
  CUcontext current = nullptr, other = nullptr, popped = nullptr;
  ASSERT_EQ(cuCtxCreate(&other, nullptr, 0, device_), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, other);
  ASSERT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, other);
  ASSERT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context_);
  unsigned long long first = 0, second = 0;
  ASSERT_EQ(cuCtxGetId(context_, &first), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxGetId(other, &second), CUDA_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_EQ(cuCtxDestroy(other), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy(other), CUDA_ERROR_INVALID_CONTEXT);
  std::thread([] {
    CUdeviceptr memory = 0;
    EXPECT_EQ(cuMemAlloc(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
}

TEST_F(Driver, PrimaryContextIsSharedWithTheRuntime) {
  CUcontext primary = nullptr, current = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, device_), CUDA_SUCCESS);
  std::thread([&] {
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
    EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(current, primary);
  unsigned flags = 0;
  int active = 0;
  ASSERT_EQ(cuDevicePrimaryCtxGetState(device_, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(device_), CUDA_SUCCESS);
}

TEST_F(Driver, EntryPointsByVersionAndFlavour) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status{};
  auto symbol = [](const char* name) { return dlsym(dlopen("libcuda.so.1", RTLD_NOW), name); };
  ASSERT_EQ(cuGetProcAddress("cuMemAlloc", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
  EXPECT_EQ(function, symbol("cuMemAlloc_v2"));
  ASSERT_EQ(cuGetProcAddress("cuStreamBeginCapture", &function, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                             &status),
            CUDA_SUCCESS);
  EXPECT_EQ(function, symbol("cuStreamBeginCapture_v2_ptsz"));
  ASSERT_EQ(cuGetProcAddress("cuCtxCreate", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
  EXPECT_EQ(function, symbol("cuCtxCreate_v3"));
  ASSERT_EQ(cuGetProcAddress("cuInit", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
  EXPECT_EQ(function, symbol("cuInit"));
  EXPECT_EQ(cuGetProcAddress("cuNoSuchThing", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(function, nullptr);
  cudaDriverEntryPointQueryResult found{};
  ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &function, 12000, cudaEnableDefault, &found),
            cudaSuccess);
  EXPECT_EQ(function, symbol("cuLaunchKernel"));
}

TEST_F(Driver, ErrorNames) {
  const char* name = nullptr;
  ASSERT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
}

}  // namespace
