// Partition: splits a window of time by which labels are active, exactly, in integer ns. Filled and swept once per TTFT
// or gap by EmissionPass; single threaded; memory fixed at Init. Costs a sort of the intervals that meet the window,
// unless they were added in order.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "base/arena.h"
#include "base/loss.h"
#include "base/time.h"

namespace slowtoken::attribution {

class Partition {
 public:
  static constexpr unsigned kMostLabels = 32;

  bool Init(base::Arena& arena, uint32_t most_intervals, base::LossCounters& losses) {
    losses_ = &losses;
    edges_ = arena.AllocateArray<Edge>(size_t{most_intervals} * 2);
    return !edges_.empty();
  }

  // Starts over with the window [from, to).
  void Begin(base::TimeNs from, base::TimeNs to) {
    from_ = from;
    to_ = to;
    count_ = 0;
  }

  base::TimeNs from() const { return from_; }
  base::TimeNs to() const { return to_; }
  size_t edges() const { return count_; }

  // `label` is active in [start, end) as far as that meets the window. An interval too many is left out and counted.
  void Add(unsigned label, base::TimeNs start, base::TimeNs end) {
    start = std::max(start, from_);
    end = std::min(end, to_);
    if (start >= end) return;
    if (count_ + 2 > edges_.size()) {
      losses_->Add(base::Loss::kIntervalsCoarsened);
      return;
    }
    edges_[count_++] = {start, static_cast<uint8_t>(label), true};
    edges_[count_++] = {end, static_cast<uint8_t>(label), false};
  }

  // Calls use(active, start, end) for consecutive pieces that fill the window; bit i of `active` = label i is active.
  // May be swept again, until the next Begin.
  template <typename Use>
  void Sweep(Use use) {
    const auto edges = edges_.first(count_);
    const auto before = [](const Edge& a, const Edge& b) { return a.time < b.time; };
    if (!std::is_sorted(edges.begin(), edges.end(), before)) std::sort(edges.begin(), edges.end(), before);
    std::array<uint32_t, kMostLabels> open{};
    uint32_t active = 0;
    base::TimeNs at = from_;
    for (size_t i = 0; i < count_; ++i) {
      const Edge& edge = edges_[i];
      if (edge.time > at) use(active, at, edge.time);
      at = std::max(at, edge.time);
      open[edge.label] += edge.opens ? 1u : ~0u;
      active = open[edge.label] != 0 ? active | 1u << edge.label : active & ~(1u << edge.label);
    }
    if (to_ > at) use(active, at, to_);
  }

 private:
  struct Edge {
    base::TimeNs time = 0;
    uint8_t label = 0;
    bool opens = false;
  };

  std::span<Edge> edges_;
  size_t count_ = 0;
  base::TimeNs from_ = 0, to_ = 0;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::attribution
