// ComparedFigures: what two runs are compared by, each a mean or a quantile over requests. Used by CompareRuns. Plain
// data; offline.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/run_comparison.h"

namespace slowtoken::analysis {

// A mean over what requests have of something: sum of `value` over sum of `weight`.
struct ComparedMean {
  std::function<double(const RequestSample&)> value, weight;
  bool by_prompt = false;  // adjusted for the length of the prompt
};

// A quantile over all values of all requests.
struct ComparedQuantile {
  double q = 0.5;
  std::function<void(const RequestSample&, std::vector<double>&)> values;
};

struct ComparedFigure {
  FigureChange change;
  std::optional<ComparedMean> mean;
  std::optional<ComparedQuantile> quantile;
};

// In the order of their groups.
std::vector<ComparedFigure> ComparedFigures();

}  // namespace slowtoken::analysis
