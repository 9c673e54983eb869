// StepLabels: the texts that engines write on the range around one iteration, and what they tell about the batch. What
// an engine says through NVTX too is in its rule pack (rules/rule_pack.h), which is asked first; what is torch's alone
// is a pack of its own in step_labels.cc. Used while importing, once a user annotation; some µs.
#pragma once

#include <optional>
#include <string_view>

#include "rules/range_rules.h"

namespace slowtoken::importing {

struct StepLabel {
  enum class Kind : uint8_t {
    kEngine,    // an engine's own iteration
    kProfiler,  // a step of the loop that the profiler was told of (torch.profiler's step()): only where no engine
                // speaks
  };
  Kind kind = Kind::kEngine;
  std::optional<uint64_t> iter;
  // Where one of these is told, those that are not are 0.
  std::optional<uint64_t> prefill, decode, prefill_tokens;

  bool has_counts() const { return prefill || decode || prefill_tokens; }
};

class StepLabels {
 public:
  StepLabels();

  // Nothing if the text is no label of a step.
  std::optional<StepLabel> Read(std::string_view text) const;

 private:
  rules::RangeRules rules_;
};

}  // namespace slowtoken::importing
