// Categories by kernel name, with names as the engines' kernels have them, mangled and demangled.
#include "rules/kernel_category.h"

#include <gmock/gmock.h>

#include "rules/name_pattern.h"

namespace slowtoken::rules {
namespace {

TEST(NamePattern, PartsAnchorsAndWords) {
  EXPECT_TRUE(MatchesName("gemm", "my_gemm_kernel"));
  EXPECT_FALSE(MatchesName("gemm", "my_gem"));
  EXPECT_TRUE(MatchesName("^gemm_", "gemm_x"));
  EXPECT_FALSE(MatchesName("^gemm_", "a_gemm_x"));
  EXPECT_TRUE(MatchesName("^_fwd_kernel$", "_fwd_kernel"));
  EXPECT_FALSE(MatchesName("^_fwd_kernel$", "_fwd_kernel_alibi"));
  EXPECT_TRUE(MatchesName("cutlass*gemm", "cutlass_80_tensorop_s16816gemm_f16"));
  EXPECT_FALSE(MatchesName("cutlass*gemm", "gemm_cutlass"));
  EXPECT_TRUE(MatchesName("a*b$", "xaxbxb"));
  EXPECT_FALSE(MatchesName("ab*ab$", "ab"));
  EXPECT_TRUE(MatchesName("<sample", "sample"));
  EXPECT_TRUE(MatchesName("<sample", "upsample_then_sample"));
  EXPECT_FALSE(MatchesName("<sample", "upsample_nearest2d"));
  EXPECT_TRUE(MatchesName("x", "x"));
  EXPECT_FALSE(MatchesName("x", ""));
}

TEST(KernelCategory, Collectives) {
  for (const char* name : {"_Z40ncclDevKernel_AllReduce_Sum_bf16_RING_LL24ncclDevKernelArgsStorageILm4096EE",
                           "ncclSymkDevKernel_AllGather_ST", "_ZN4vllm26cross_device_reduce_1stageIfLi2EEEvv",
                           "two_shot_all_reduce_kernel", "_ZN12tensorrt_llm7kernels20oneShotAllReduceKernelEv",
                           "userbuffers_fp16_sum_inplace_gpu_mc_reduce_scatter", "nvshmemi_barrier_kernel"}) {
    EXPECT_TRUE(IsCollective(CategoryOf(name))) << name;
    EXPECT_FALSE(IsSampling(CategoryOf(name))) << name;
  }
}

TEST(KernelCategory, Sampling) {
  for (const char* name :
       {"_gumbel_sample_kernel", "_ZN10flashinfer8sampling22TopKTopPSamplingFromProbKernelEv", "sample_kernel",
        "_Z13sample_argmaxPKfPi", "_rejection_kernel", "_ZN2at6native12argmax_f32_kEv", "rejection_greedy"}) {
    EXPECT_TRUE(IsSampling(CategoryOf(name))) << name;
    EXPECT_FALSE(IsCollective(CategoryOf(name))) << name;
  }
}

TEST(KernelCategory, KernelsOfThePublicEngines) {
  const struct {
    const char* name;
    const char* category;
  } cases[] = {
      {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", "gemm"},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", "gemm"},
      {"_ZN7cutlass13device_kernelI4GemmUniversalEEvT_", "gemm"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16>", "gemm"},
      {"_ZN6marlin6MarlinIffEEvv", "gemm.quant"},
      {"fused_moe_kernel", "moe.gemm"},
      {"_ZN4vllm3moe10topkGatingEv", "moe.route"},
      {"void flash::flash_fwd_splitkv_kernel<Traits>", "attn.decode"},
      {"_ZN5flash16flash_fwd_kernelIffEEvv", "attn.prefill"},
      {"kernel_unified_attention_2d", "attn.mixed"},
      {"_ZN10flashinfer31BatchPrefillWithPagedKVCacheEv", "attn.prefill"},
      {"_ZN4vllm30reshape_and_cache_flash_kernelEv", "kv.write"},
      {"_ZN4vllm15rms_norm_kernelIfEEvv", "norm"},
      {"_ZN4vllm23rotary_embedding_kernelEv", "rope"},
      {"_ZN4vllm18act_and_mul_kernelEv", "activation"},
      {"triton_poi_fused_add_0", "inductor"},
      {"_ZN2at6native29vectorized_elementwise_kernelEv", "torch"},
      {"void at::native::unrolled_elementwise_kernel<Fn>", "torch"},
      {"alloc_decode_kernel", "step.prepare"},
      {"my_property_kernel", "other"},
      {"upsample_nearest2d", "other"},
      {"", "other"},
  };
  for (const auto& [name, category] : cases) EXPECT_STREQ(CategoryName(CategoryOf(name)), category) << name;
}

TEST(KernelCategory, NumbersBeyondTheDataAreOther) {
  EXPECT_STREQ(CategoryName(255), "other");
  EXPECT_STREQ(CategoryName(kOtherKernel), "other");
  EXPECT_GE(kKernelRulesVersion, 1u);
}

}  // namespace
}  // namespace slowtoken::rules
