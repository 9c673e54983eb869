// StepIterations: from the labels that engines write around their steps (step_labels.h) to the iterations of the
// vocabulary. A label inside another one on its thread says more about the same iteration. Where an engine speaks,
// steps of the profiler count for nothing. Filled by KinetoEvents; few events. Single threaded, offline.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "import/step_labels.h"
#include "record/annotation.h"

namespace slowtoken::importing {

class StepIterations {
 public:
  // A user annotation on a host thread; nothing happens if it is no label.
  void Add(std::string_view text, record::ThreadId thread, record::TimeNs start, record::TimeNs end);

  // The iterations in order of their starts. The labels name no iteration that other ranks could have too, so those of
  // each rank stand apart, by `dp_rank`.
  std::vector<record::Annotation> Finish(std::optional<uint32_t> rank);

 private:
  struct Step {
    StepLabel label;
    record::ThreadId thread = 0;
    record::TimeNs start = 0, end = 0;
  };
  static void Merge(const StepLabel& from, StepLabel& into);
  std::vector<Step> Outermost();

  StepLabels labels_;
  std::vector<Step> steps_;
};

}  // namespace slowtoken::importing
