#include "attribution/iteration_habits.h"

namespace slowtoken::attribution {

bool IterationHabits::Init(base::Arena& arena) {
  bool ok = true;
  for (Class& habit : classes_) ok = ok && habit.busy.Init(arena) && habit.launches.Init(arena);
  return ok;
}

void IterationHabits::Learn(const Iteration& iteration) {
  if (!IsDecode(iteration)) return;
  Class& habit = classes_[ClassOf(iteration.decode_rows)];
  habit.busy.Add(iteration.busy_ns);
  habit.launches.Add(iteration.launches);
  if (habit.all == kMostHeld) {
    habit.all /= 2;
    habit.with_graph /= 2;
  }
  ++habit.all;
  if (iteration.graph_launches != 0) ++habit.with_graph;
}

uint64_t IterationHabits::SlowerBy(const Iteration& iteration) const {
  if (!IsDecode(iteration)) return 0;
  const Class& habit = classes_[ClassOf(iteration.decode_rows)];
  if (habit.busy.samples() < kFew) return 0;
  const uint64_t usual = habit.launches.value();
  // The median is within 0.8 %; a launch or two more or less (a copy kernel, a larger bucket) is the same work.
  const uint64_t apart = usual > iteration.launches ? usual - iteration.launches : iteration.launches - usual;
  if (apart > 2 + usual / 32) return 0;
  return iteration.busy_ns > habit.busy.value() ? iteration.busy_ns - habit.busy.value() : 0;
}

}  // namespace slowtoken::attribution
