#include "report/next_tier.h"

#include <algorithm>

namespace slowtoken::report {
namespace {

// By the tier that was reached.
struct Engine {
  const char* package;
  const char* at_tier[3];
};

constexpr const char* kBatches =
    "who is in which iteration needs `batch` marks: the engine's own (slowtoken/llmserve.h), docs/engines/your-own.md";

// The first whose package was found: a frontend stands in front of an engine.
constexpr Engine kEngines[] = {
    {"package.vllm",
     {"put slowtoken's plug-in into PYTHONPATH for requests and batches, or set VLLM_NVTX_SCOPES_FOR_PROFILING=1 for "
      "iterations: "
      "docs/engines/vllm.md",
      "put slowtoken's plug-in into PYTHONPATH for requests and batches: docs/engines/vllm.md", kBatches}},
    {"package.sglang",
     {"put slowtoken's plug-in into PYTHONPATH for requests and batches, or set SGLANG_ENABLE_NVTX_SCHEDULER=1 for "
      "iterations: "
      "docs/engines/sglang.md",
      "put slowtoken's plug-in into PYTHONPATH for requests and batches: docs/engines/sglang.md", kBatches}},
    {"package.tensorrt-llm",
     {"its PyTorch backend says iterations by default: see that NVTX_INJECTION64_PATH reaches the worker processes, "
      "docs/engines/tensorrt-llm.md",
      "requests need marks of your own around the LLM API: docs/engines/tensorrt-llm.md", kBatches}},
    {"package.lmdeploy",
     {"LMDeploy says nothing about iterations: annotate it, or go on with inferred ones, docs/engines/lmdeploy.md",
      "requests need marks of your own: docs/engines/lmdeploy.md", kBatches}},
    {"package.ai-dynamo",
     {"switch on the NVTX of the engine behind Dynamo: docs/engines/dynamo.md",
      "requests come from the engine behind Dynamo: docs/engines/dynamo.md", kBatches}},
};

constexpr Engine kOwn = {
    "",
    {"annotate the engine (slowtoken/llmserve.h), or say with --rules=FILE what its own NVTX ranges mean: "
     "docs/engines/your-own.md",
     "mark requests (`req`, `req.token`, slowtoken/llmserve.h) for TTFT and ITL: docs/engines/your-own.md", kBatches}};

bool Has(const v1::Conditions& conditions, const char* fact) {
  return std::any_of(conditions.facts().begin(), conditions.facts().end(),
                     [fact](const v1::Fact& known) { return known.name() == fact; });
}

}  // namespace

std::string NextTier(const v1::Coverage& coverage, const v1::Conditions& conditions) {
  const bool nothing = coverage.kernels() + coverage.launches() + coverage.graph_launches() == 0;
  if (coverage.tier() >= std::size(kOwn.at_tier) || (nothing && coverage.tier() == 0)) return "";
  const auto engine = std::find_if(std::begin(kEngines), std::end(kEngines),
                                   [&](const Engine& known) { return Has(conditions, known.package); });
  return (engine == std::end(kEngines) ? kOwn : *engine).at_tier[coverage.tier()];
}

}  // namespace slowtoken::report
