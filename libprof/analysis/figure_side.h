// FigureSide: one run's side of one compared figure: its value under the weights that a bootstrap has drawn. Made and
// asked by CompareRuns, some thousand times a figure. Single threaded, offline; memory: a number a block, or (of a
// quantile) each value.
#pragma once

#include <utility>
#include <vector>

#include "analysis/block_bootstrap.h"
#include "analysis/compared_figures.h"

namespace slowtoken::analysis {

class FigureSide {
 public:
  // Of a mean, `slope` times what a prompt is longer than `prompt_mean` is taken off.
  FigureSide(const RunSample& run, const ComparedFigure& figure, const BlockBootstrap& blocks, double slope,
             double prompt_mean);

  bool empty() const;
  double Value(const BlockBootstrap& blocks) const { return sums_.empty() ? QuantileOf(blocks) : MeanOf(blocks); }

 private:
  struct Sum {
    double value = 0, weight = 0;
  };

  void AddMean(const RunSample& run, const ComparedMean& mean, const BlockBootstrap& blocks, double slope,
               double prompt_mean);
  void AddQuantile(const RunSample& run, const ComparedQuantile& quantile, const BlockBootstrap& blocks);
  double MeanOf(const BlockBootstrap& blocks) const;
  double QuantileOf(const BlockBootstrap& blocks) const;

  std::vector<Sum> sums_;                          // by block
  std::vector<std::pair<double, size_t>> sorted_;  // value, block
  std::vector<double> in_block_;                   // how many values
  double q_ = 0;
};

}  // namespace slowtoken::analysis
