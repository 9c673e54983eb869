#include "analysis/paired_change.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace slowtoken::analysis {
namespace {

Interval MeanInterval(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = StudentT975(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

double Mean(std::span<const MeasuredPair> pairs, double MeasuredPair::*side, bool geometric) {
  double sum = 0;
  for (const MeasuredPair& pair : pairs) sum += geometric ? std::log(pair.*side) : pair.*side;
  const double mean = sum / static_cast<double>(pairs.size());
  return geometric ? std::exp(mean) : mean;
}

}  // namespace

double StudentT975(size_t freedom) {
  // Tables of the t distribution; between the last ones linear in 1 / freedom, which is right to three digits.
  static constexpr double kFirst[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                      2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                      2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  struct Row {
    double inverse;
    double t;
  };
  static constexpr Row kRest[] = {
      {1.0 / 30, 2.042}, {1.0 / 40, 2.021}, {1.0 / 60, 2.000}, {1.0 / 120, 1.980}, {0, 1.960}};
  if (freedom <= std::size(kFirst)) return kFirst[std::max<size_t>(freedom, 1) - 1];
  const double inverse = 1.0 / static_cast<double>(freedom);
  size_t row = 1;
  while (inverse < kRest[row].inverse) ++row;
  const Row& above = kRest[row - 1];
  const Row& below = kRest[row];
  return below.t + (above.t - below.t) * (inverse - below.inverse) / (above.inverse - below.inverse);
}

std::optional<PairedChange> ComparePairs(std::span<const MeasuredPair> pairs) {
  if (pairs.size() < 2) return std::nullopt;
  const bool positive =
      std::all_of(pairs.begin(), pairs.end(), [](const MeasuredPair& p) { return p.before > 0 && p.after > 0; });
  std::vector<double> differences, ratios;
  for (const MeasuredPair& pair : pairs) {
    differences.push_back(pair.after - pair.before);
    if (positive) ratios.push_back(std::log(pair.after / pair.before));
  }
  PairedChange change;
  change.pairs = pairs.size();
  change.before = Mean(pairs, &MeasuredPair::before, positive);
  change.after = Mean(pairs, &MeasuredPair::after, positive);
  change.difference = MeanInterval(differences);
  if (positive) {
    const Interval log = MeanInterval(ratios);
    change.relative = Interval{std::expm1(log.mean), std::expm1(log.low), std::expm1(log.high)};
  }
  return change;
}

}  // namespace slowtoken::analysis
