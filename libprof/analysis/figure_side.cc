#include "analysis/figure_side.h"

#include <algorithm>

namespace slowtoken::analysis {

FigureSide::FigureSide(const RunSample& run, const ComparedFigure& figure, const BlockBootstrap& blocks, double slope,
                       double prompt_mean) {
  if (figure.mean) {
    AddMean(run, *figure.mean, blocks, slope, prompt_mean);
  } else {
    AddQuantile(run, *figure.quantile, blocks);
  }
}

void FigureSide::AddMean(const RunSample& run, const ComparedMean& mean, const BlockBootstrap& blocks, double slope,
                         double prompt_mean) {
  sums_.resize(blocks.blocks());
  for (size_t i = 0; i < run.requests.size(); ++i) {
    const RequestSample& request = run.requests[i];
    const double weight = mean.weight(request);
    Sum& sum = sums_[blocks.BlockOf(i)];
    sum.value += mean.value(request) - slope * weight * (request.prompt - prompt_mean);
    sum.weight += weight;
  }
}

void FigureSide::AddQuantile(const RunSample& run, const ComparedQuantile& quantile, const BlockBootstrap& blocks) {
  std::vector<double> values;
  for (size_t i = 0; i < run.requests.size(); ++i) {
    values.clear();
    quantile.values(run.requests[i], values);
    for (const double value : values) sorted_.emplace_back(value, blocks.BlockOf(i));
  }
  std::sort(sorted_.begin(), sorted_.end());
  in_block_.resize(blocks.blocks());
  for (const auto& [value, block] : sorted_) in_block_[block] += 1;
  q_ = quantile.q;
}

bool FigureSide::empty() const {
  if (sums_.empty()) return sorted_.empty();
  return std::all_of(sums_.begin(), sums_.end(), [](const Sum& sum) { return sum.weight == 0; });
}

double FigureSide::MeanOf(const BlockBootstrap& blocks) const {
  Sum all;
  for (size_t i = 0; i < sums_.size(); ++i) {
    all.value += blocks.weight(i) * sums_[i].value;
    all.weight += blocks.weight(i) * sums_[i].weight;
  }
  return all.weight == 0 ? 0 : all.value / all.weight;
}

double FigureSide::QuantileOf(const BlockBootstrap& blocks) const {
  double total = 0;
  for (size_t i = 0; i < in_block_.size(); ++i) total += blocks.weight(i) * in_block_[i];
  double above = total;  // walked from the top: the quantiles that matter are high
  for (size_t i = sorted_.size(); i-- > 0;) {
    above -= blocks.weight(sorted_[i].second);
    if (above < total * q_) return sorted_[i].first;
  }
  return sorted_.empty() ? 0 : sorted_.front().first;
}

}  // namespace slowtoken::analysis
