// CompareRuns: what changed between two runs, and how sure that is. Pure; offline.
//
// Method. Each figure is a mean, a rate or a quantile over requests. Its standard error comes from a block bootstrap
// over requests (block_bootstrap.h), A and B drawn apart; the interval is Student's t with as many degrees of freedom
// as blocks. TTFT and its phases are adjusted for the length of the prompt (one regression line for both runs), so that
// another mix of prompts is no change of the server. Over all figures p-values are corrected by Holm's method: on two
// runs of the same thing, at most one comparison in twenty names any change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_sample.h"

namespace slowtoken::analysis {

enum class Better : uint8_t { kLower, kHigher, kNeither };
enum class FigureUnit : uint8_t { kNs, kNumber, kShare };
enum class FigureGroup : uint8_t { kOutcome, kTtft, kTtftPhase, kItl, kItlPhase };

struct FigureChange {
  std::string name;
  FigureGroup group = FigureGroup::kOutcome;
  Better better = Better::kLower;
  FigureUnit unit = FigureUnit::kNs;
  double a = 0, b = 0;
  // b - a and its 95 % interval, adjusted where the method says so. No figure can fall by more than it is, which is
  // where an interval that would reach further ends.
  double difference = 0, low = 0, high = 0;
  double p = 1, corrected_p = 1;
  bool changed = false;  // corrected_p < 0.05
  bool worse() const { return changed && better != Better::kNeither && (difference > 0) == (better == Better::kLower); }
};

struct CompareOptions {
  uint64_t seed = 1;
  uint32_t quantile_draws = 400;
};

// Figures that either run lacks are left out. In the order of the groups.
std::vector<FigureChange> CompareRuns(const RunSample& a, const RunSample& b, const CompareOptions& options = {});

// The phase that a change of TTFT (of gaps) is mostly due to: the changed phase figure of the group that moved the mean
// most; nullptr if none changed.
const FigureChange* ChiefPhase(const std::vector<FigureChange>& figures, FigureGroup group);

}  // namespace slowtoken::analysis
