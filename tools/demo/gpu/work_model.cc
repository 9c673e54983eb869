#include "gpu/work_model.h"

#include <algorithm>

namespace slowtoken::demo {
namespace {

constexpr int64_t kMaxIterationNs = 10'000'000'000;  // a kernel never keeps a GPU busy for longer than this in all

// Parts of a layer's time, adding up to one; the embedding and the head stand beside the layers.
constexpr double kNorm = 0.015, kQkv = 0.18, kRope = 0.01, kCache = 0.01, kAttention = 0.20, kOutput = 0.08,
                 kGateUp = 0.28, kActivation = 0.02, kDown = 0.19;
constexpr double kEmbedding = 0.005, kHead = 0.045;
constexpr double kAllReduce = 0.05;  // of a layer, each of two, on top

}  // namespace

ForwardWork SpreadWork(const Config& config, int64_t sequences, int64_t prompt_tokens) {
  const int64_t total_ns = std::min(kMaxIterationNs, 1000 * (config.decode_us + config.decode_us_per_seq * sequences +
                                                             config.prefill_us_per_token * prompt_tokens));
  const double total = static_cast<double>(total_ns);
  const double layer = total * (1 - kEmbedding - kHead) / static_cast<double>(config.layers);
  const auto part = [](double of, double share) { return static_cast<uint64_t>(of * share); };
  return {.embedding = part(total, kEmbedding),
          .norm = part(layer, kNorm),
          .qkv = part(layer, kQkv),
          .rope = part(layer, kRope),
          .cache = part(layer, kCache),
          .attention = part(layer, kAttention),
          .output = part(layer, kOutput),
          .gate_up = part(layer, kGateUp),
          .activation = part(layer, kActivation),
          .down = part(layer, kDown),
          .all_reduce = part(layer, kAllReduce),
          .head = part(total, kHead)};
}

uint64_t SampleWorkNs(const Config& config, int64_t rows) {
  constexpr int64_t kRowNs = 2000;
  return static_cast<uint64_t>(1000 * config.sample_us + kRowNs * rows);
}

uint64_t DraftWorkNs(const Config& config) {
  constexpr int64_t kDraftShare = 20;  // the draft model is that much smaller
  return static_cast<uint64_t>(1000 * config.decode_us / kDraftShare);
}

}  // namespace slowtoken::demo
