// IterationHabits: what decode iterations usually are, by class of batch size: how long they keep the GPU, how many
// launches they make, whether they replay a graph. Fed by IterationPass with each sealed iteration in a fixed order;
// asked for gaps; single threaded.
#pragma once

#include <array>
#include <bit>

#include "attribution/iteration.h"
#include "attribution/running_median.h"

namespace slowtoken::attribution {

class IterationHabits {
 public:
  bool Init(base::Arena& arena);

  // A sealed iteration; those that prefill, or have no GPU work, are no measure and are left out.
  void Learn(const Iteration& iteration);

  // GPU work of an iteration with `decode_rows` rows and no prefill. Classes are powers of two of the row count.
  const RunningMedian& decode_busy(uint32_t decode_rows) const { return classes_[ClassOf(decode_rows)].busy; }

  // Whether iterations of this size nearly always replay a graph; false while few were seen.
  bool ReplaysGraphs(uint32_t decode_rows) const {
    const Class& habit = classes_[ClassOf(decode_rows)];
    return habit.all >= kFew && habit.with_graph * 4 >= habit.all * 3;
  }

  // How much longer than usual a decode iteration that does the usual work kept the GPU; 0 where that cannot be said:
  // too few were seen, it prefills, or its number of launches is another one.
  uint64_t SlowerBy(const Iteration& iteration) const;

 private:
  struct Class {
    RunningMedian busy;
    RunningMedian launches;
    uint32_t all = 0, with_graph = 0;  // of the last ones
  };
  static constexpr uint32_t kClasses = 14;
  static constexpr uint32_t kFew = 8;
  static constexpr uint32_t kMostHeld = 256;
  static uint32_t ClassOf(uint32_t rows) {
    return std::min<uint32_t>(static_cast<uint32_t>(std::bit_width(rows)), kClasses - 1);
  }
  static bool IsDecode(const Iteration& iteration) {
    return iteration.decode_rows > 0 && iteration.prefill_rows == 0 && iteration.has_gpu();
  }

  std::array<Class, kClasses> classes_;
};

}  // namespace slowtoken::attribution
