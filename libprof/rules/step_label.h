// StepLabel: the text an engine writes on the range around one iteration, and what it tells about the batch. The forms
// are a table in step_label.cc, read from the engines' sources; they name counts, never requests. Used by import/ for
// profilers' traces; free of heap and exceptions, so that rule packs may use it in the process. Pure; about 100 ns for
// a text that is none, some hundred for one that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace slowtoken::rules {

struct StepLabel {
  enum class Kind : uint8_t {
    kEngine,    // an engine's own iteration
    kProfiler,  // a step of the loop that the profiler was told of (torch.profiler's step()): only where no engine
                // speaks
  };
  Kind kind = Kind::kEngine;
  bool has_rows = false;     // prefill and decode are told
  bool has_prefill = false;  // prefill_tokens is told
  bool has_iter = false;     // iter is told
  bool idle = false;         // a step without requests
  uint64_t prefill = 0;      // requests that prefill, chunks included
  uint64_t decode = 0;       // requests that decode or verify
  uint64_t prefill_tokens = 0;
  uint64_t iter = 0;
};

// Nothing if the text is no label of a step.
std::optional<StepLabel> ParseStepLabel(std::string_view text);

}  // namespace slowtoken::rules
