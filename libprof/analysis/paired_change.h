// How much a figure changed between two ways of running the same thing, measured in pairs: the mean change with its
// 95 % confidence interval. Pure functions, offline.
//
// Method: Student's t interval of the mean over the pairs' log ratios (so a change is relative, and twice as much and
// half as much weigh the same), or over their differences where a value is not positive. A pair is two runs one after
// the other; what drifts slowly over all runs cancels between pairs whose order is opposite.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace slowtoken::analysis {

struct MeasuredPair {
  double before = 0;
  double after = 0;
};

struct Interval {
  double mean = 0;
  double low = 0;
  double high = 0;
};

struct PairedChange {
  size_t pairs = 0;
  double before = 0;  // geometric mean where all values are positive, else the arithmetic one
  double after = 0;
  Interval difference;               // after - before
  std::optional<Interval> relative;  // after / before - 1; nullopt where a value is not positive
};

// nullopt for fewer than two pairs: they give no interval.
std::optional<PairedChange> ComparePairs(std::span<const MeasuredPair> pairs);

// The 97.5 % quantile of Student's t distribution: what a two-sided 95 % interval takes. `freedom` from 1 on.
double StudentT975(size_t freedom);

}  // namespace slowtoken::analysis
