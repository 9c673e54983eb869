#include "analysis/iteration_boundaries.h"

#include <algorithm>
#include <cstddef>

namespace slowtoken::analysis {

void IterationBoundaries::Restart() {
  if (sampled_) ++with_sampling_;
  open_ = model_ = sampled_ = done_ = false;
  kernels_ = 0;
  gpu_end_ = 0;
  graph_count_ = 0;
}

bool IterationBoundaries::Replayed(uint32_t graph_id) const {
  const auto end = graphs_.begin() + static_cast<ptrdiff_t>(graph_count_);
  return graph_id != 0 && std::find(graphs_.begin(), end, graph_id) != end;
}

bool IterationBoundaries::Begins(const LaunchedWork& work) {
  if (work.call == LaunchedWork::kReadback || work.call == LaunchedWork::kWait) {
    // Where sampling runs on the GPU it is the mark: such engines also wait in the middle.
    done_ = done_ || (with_sampling_ >= kSampledBefore ? sampled_ : model_);
    last_end_ = std::max(last_end_, work.end);
    return false;
  }
  const bool after_sampling = sampled_ && !work.sampling && !work.preparing;
  const bool after_done = done_ && !work.sampling;
  const bool again = work.call == LaunchedWork::kGraph && Replayed(work.graph_id);
  const bool silent = model_ && work.start > last_end_ && work.start - last_end_ >= kSilence && gpu_end_ <= work.start;
  const bool begins = !open_ || after_sampling || after_done || again || silent;
  if (begins) Restart();
  Take(work);
  return begins;
}

void IterationBoundaries::Take(const LaunchedWork& work) {
  open_ = true;
  kernels_ += work.kernels;
  model_ = model_ || work.model || work.call == LaunchedWork::kGraph || kernels_ >= kManyKernels;
  sampled_ = sampled_ || (work.sampling && model_);
  last_end_ = std::max(last_end_, work.end);
  gpu_end_ = std::max(gpu_end_, work.gpu_end);
  if (work.call == LaunchedWork::kGraph && graph_count_ < graphs_.size()) graphs_[graph_count_++] = work.graph_id;
}

}  // namespace slowtoken::analysis
