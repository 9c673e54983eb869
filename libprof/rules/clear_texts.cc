#include "rules/clear_texts.h"

#include <algorithm>
#include <cstddef>

namespace slowtoken::rules {
namespace {

constexpr std::string_view kDomains[] = {
    "llmserve",     "slowtoken", "NCCL",     "NVSHMEM", "CCCL",    "CUB",      "Thrust",    "cuBLAS",   "cuBLASLt",
    "cuDNN",        "cuSPARSE",  "cuSOLVER", "cuFFT",   "cuRAND",  "cuTENSOR", "CUTLASS",   "TensorRT", "TensorRT-LLM",
    "TensorRT_LLM", "Triton",    "vllm",     "sglang",  "lmcache", "dynamo",   "flashinfer"};

// Sorted by bytes. `#` stands for a number.
constexpr std::string_view kTexts[] = {
    "Bookkeep",
    "Draft",
    "EPLB",
    "Forward",
    "Postprocess",
    "Preprocess",
    "PromptTuningBuffers::fill",
    "Sample",
    "TrtEncoderModel::forwardSync",
    "TrtGptModelInflightBatching::forwardSync",
    "[Executor] _forward_step #: # ctx reqs, # ctx tokens, # gen reqs",
    "[Executor] _forward_step #: # ctx reqs, # gen reqs",
    "[Executor] _forward_step: # ctx reqs, # gen reqs",
    "core step: get_output",
    "core step: record_stats",
    "decoderNewRequests",
    "decoderStepAsync",
    "detokenize",
    "execute_#_context_#(sq#sk#sqsq#sqsk#)_generation_#(sq#sk#sqsq#sqsk#)",
    "execute_context_#(#)_generation_#(#)",
    "ffn",
    "gpu_model_runner: AsyncGPUModelRunnerOutput",
    "gpu_model_runner: ModelRunnerOutput",
    "gpu_model_runner: bookkeep",
    "gpu_model_runner: draft",
    "gpu_model_runner: eplb",
    "gpu_model_runner: forward",
    "gpu_model_runner: postprocess",
    "gpu_model_runner: preprocess",
    "gpu_model_runner: sample",
    "gpu_model_runner: set_async_sampled_token_ids",
    "llm_engine step: abort_requests",
    "llm_engine step: get_output",
    "llm_engine step: process_outputs",
    "llm_engine step: record_stats",
    "mm:pd:generate",
    "mm:pd:ttft",
    "ngram_proposer_gpu: kernel",
    "postDecodeEmbedding",
    "preprocess.tokenize",
    "pybridge.invoke_generator",
    "pybridge.push_blocked",
    "rearrangeOutputs",
    "route.select_worker",
    "schedule: allocate_slots",
    "schedule: get_num_common_prefix_blocks",
    "schedule: make_cached_request_data",
    "schedule: update_after_schedule",
    "scheduler.get_next_batch_to_run",
    "scheduler.process_batch_result",
    "scheduler.process_input_requests",
    "scheduler.recv_requests",
    "scheduler.run_batch",
    "transport.tcp.send",
    "trtllm:push_egress",
    "w#",
};
static_assert(std::is_sorted(std::begin(kTexts), std::end(kTexts)));

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool EqualNames(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return Lower(x) == Lower(y); });
}

bool IsClearDomain(std::string_view name) {
  return std::any_of(std::begin(kDomains), std::end(kDomains),
                     [name](std::string_view known) { return EqualNames(known, name); });
}

bool IsClearText(std::string_view text) {
  constexpr size_t kLongest = 160;
  if (text.size() > kLongest) return false;
  char shape[kLongest];
  size_t size = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#') return false;
    if (IsDigit(text[i]) && i > 0 && IsDigit(text[i - 1])) continue;
    shape[size++] = IsDigit(text[i]) ? '#' : text[i];
  }
  return std::binary_search(std::begin(kTexts), std::end(kTexts), std::string_view(shape, size));
}

}  // namespace slowtoken::rules
