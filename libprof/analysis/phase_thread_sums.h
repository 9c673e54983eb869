// PhaseThreadSums: how threads spent the CPU phases of all first tokens, or of all gaps, added up by phase. Single
// threaded, offline; a few ns an addition.
#pragma once

#include <algorithm>
#include <array>

#include "attribution/phase_thread_visitor.h"
#include "record/phases.h"

namespace slowtoken::analysis {

class PhaseThreadSums {
 public:
  struct Sum {
    uint64_t count = 0, unknown = 0;  // phases; those of which the thread's states are not known are in nothing else
    uint64_t ran_ns = 0, waited_ns = 0, blocked_ns = 0, migrations = 0;
  };

  void Add(const attribution::PhaseThread& spent) {
    Sum& sum = sums_[spent.phase];
    if (!spent.states.known) {
      ++sum.unknown;
      return;
    }
    ++sum.count;
    sum.ran_ns += spent.ran_ns();
    sum.waited_ns += spent.waited_ns();
    sum.blocked_ns += spent.blocked_ns();
    sum.migrations += spent.states.migrations;
  }

  const Sum& Of(size_t phase) const { return sums_[phase]; }

 private:
  std::array<Sum, std::max(record::kTtftPhaseCount, record::kGapPhaseCount)> sums_{};
};

}  // namespace slowtoken::analysis
