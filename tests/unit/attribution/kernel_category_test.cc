// Categories by kernel name, with names as the engines' kernels have them.
#include "rules/kernel_category.h"

#include <gmock/gmock.h>

namespace slowtoken::rules {
namespace {

TEST(KernelCategory, Collectives) {
  for (const char* name : {"_Z40ncclDevKernel_AllReduce_Sum_bf16_RING_LL24ncclDevKernelArgsStorageILm4096EE",
                           "ncclSymkDevKernel_AllGather_ST", "_ZN4vllm26cross_device_reduce_1stageIfLi2EEEvv",
                           "two_shot_all_reduce_kernel", "_ZN12tensorrt_llm7kernels20oneShotAllReduceKernelEv",
                           "userbuffers_fp16_sum_inplace_gpu_mc_reduce_scatter", "nvshmemi_barrier_kernel"}) {
    EXPECT_EQ(CategoryOf(name), KernelCategory::kCollective) << name;
  }
}

TEST(KernelCategory, Sampling) {
  for (const char* name :
       {"_gumbel_sample_kernel", "_ZN10flashinfer8sampling22TopKTopPSamplingFromProbKernelEv", "sample_kernel",
        "_Z13sample_argmaxPKfPi", "_rejection_kernel", "_ZN2at6native12argmax_f32_kEv", "rejection_greedy"}) {
    EXPECT_EQ(CategoryOf(name), KernelCategory::kSample) << name;
  }
}

TEST(KernelCategory, TheRest) {
  for (const char* name : {"", "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", "_Z11gemm_kernelPKf", "upsample_nearest2d",
                           "downsample_bilinear", "flash_fwd_kernel", "reshape_and_cache_flash_kernel"}) {
    EXPECT_EQ(CategoryOf(name), KernelCategory::kOther) << name;
  }
}

}  // namespace
}  // namespace slowtoken::rules
