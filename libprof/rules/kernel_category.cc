#include "rules/kernel_category.h"

namespace slowtoken::rules {
namespace {

// Parts of kernel names of NCCL, vLLM, SGLang, TensorRT-LLM, FlashInfer and ggml, read from their sources. The first
// rule that matches wins. `word`: the character before must not be a letter ("upsample" is no sampling).
struct NameRule {
  std::string_view part;
  KernelCategory category;
  bool word = false;
};

constexpr NameRule kNameRules[] = {
    {"ncclDevKernel", KernelCategory::kCollective},
    {"ncclSymkDevKernel", KernelCategory::kCollective},
    {"ncclKernel", KernelCategory::kCollective},
    {"nvshmem", KernelCategory::kCollective},
    {"cross_device_reduce", KernelCategory::kCollective},
    {"cross_device_all_gather", KernelCategory::kCollective},
    {"all_reduce", KernelCategory::kCollective},
    {"allreduce", KernelCategory::kCollective},
    {"AllReduce", KernelCategory::kCollective},
    {"allReduce", KernelCategory::kCollective},
    {"reduce_scatter", KernelCategory::kCollective},
    {"reducescatter", KernelCategory::kCollective},
    {"ReduceScatter", KernelCategory::kCollective},
    {"all_gather", KernelCategory::kCollective},
    {"allgather", KernelCategory::kCollective},
    {"AllGather", KernelCategory::kCollective},
    {"all_to_all", KernelCategory::kCollective},
    {"AllToAll", KernelCategory::kCollective},
    {"quickreduce", KernelCategory::kCollective},
    {"ggml_cuda_ar_", KernelCategory::kCollective},
    {"sample", KernelCategory::kSample, true},
    {"sampling", KernelCategory::kSample, true},
    {"Sampling", KernelCategory::kSample},
    {"gumbel", KernelCategory::kSample},
    {"rejection_", KernelCategory::kSample},
    {"_topk_topp", KernelCategory::kSample},
    {"topKSort", KernelCategory::kSample},
    {"topPSort", KernelCategory::kSample},
    {"RenormProb", KernelCategory::kSample},
    {"_temperature_kernel", KernelCategory::kSample},
    {"_penalties_kernel", KernelCategory::kSample},
    {"argmax_f32", KernelCategory::kSample},
};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool Matches(const NameRule& rule, std::string_view name) {
  for (size_t at = name.find(rule.part); at != std::string_view::npos; at = name.find(rule.part, at + 1)) {
    if (!rule.word || at == 0 || !IsLetter(name[at - 1])) return true;
  }
  return false;
}

}  // namespace

KernelCategory CategoryOf(std::string_view name) {
  for (const NameRule& rule : kNameRules) {
    if (Matches(rule, name)) return rule.category;
  }
  return KernelCategory::kOther;
}

}  // namespace slowtoken::rules
