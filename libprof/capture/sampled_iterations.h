// SampledIterations: which iterations a sampled trace keeps. By iteration: those whose number falls into one of N
// classes of a hash, the same in every process of a run and not in step with any pattern of the engine's. By request:
// those whose batch has a row of a request that falls so; where the batch is not known here, by iteration. What was
// said of an iteration is said again. Part of DetailSampler; worker thread; a few ns, by request a walk over the batch
// once an iteration. 48 KB of the arena.
#pragma once

#include "attribution/live_batches.h"
#include "base/hash.h"
#include "record/detail_events.h"

namespace slowtoken::capture {

class SampledIterations {
 public:
  bool Init(base::Arena& arena, attribution::LiveBatches& batches) {
    batches_ = &batches;
    known_ = arena.AllocateArray<Known>(kKnown);
    return !known_.empty();
  }

  // One iteration, or request, in `one_in`.
  bool Keeps(const record::IterationKey& key, record::SampleUnit unit, uint32_t one_in) {
    const bool by_number = Falls(base::MixHash(key.iter + 1), one_in);
    if (unit == record::SampleUnit::kIterations) return by_number;
    Known& known = known_[base::MixHash(key.iter ^ uint64_t{key.engine} << 40 ^ uint64_t{key.dp_rank} << 52) % kKnown];
    if (known.one_in == one_in && known.key == key) return known.kept;
    const auto sampled = [one_in](const record::BatchRow& row) { return Falls(row.req, one_in); };
    const attribution::LiveBatches::Answer any = batches_->AnyRow(key, sampled);
    const bool kept =
        any == attribution::LiveBatches::Answer::kUnknown ? by_number : any == attribution::LiveBatches::Answer::kYes;
    known = {.key = key, .one_in = one_in, .kept = kept};
    return kept;
  }

 private:
  static constexpr size_t kKnown = 2048;
  struct Known {
    record::IterationKey key;
    uint32_t one_in = 0;  // 0: nothing known
    bool kept = false;
  };
  static bool Falls(uint64_t hash, uint32_t one_in) { return hash % one_in == 0; }

  attribution::LiveBatches* batches_ = nullptr;
  std::span<Known> known_;
};

}  // namespace slowtoken::capture
