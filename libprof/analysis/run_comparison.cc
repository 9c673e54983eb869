#include "analysis/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/block_bootstrap.h"
#include "analysis/compared_figures.h"
#include "analysis/figure_side.h"
#include "analysis/paired_change.h"

namespace slowtoken::analysis {
namespace {

constexpr double kLevel = 0.05;
constexpr uint32_t kMeanDraws = 2000;  // they cost next to nothing: a sum over blocks

// The slope of a mean's value over the prompt's length, of both runs together: what is about the prompt, whichever run.
double SlopeOf(const RunSample& a, const RunSample& b, const ComparedMean& mean) {
  double covariance = 0, variance = 0;
  for (const RunSample* run : {&a, &b}) {
    double n = 0, x = 0, y = 0;
    for (const RequestSample& r : run->requests) {
      if (mean.weight(r) == 0) continue;
      n += 1;
      x += r.prompt;
      y += mean.value(r);
    }
    if (n == 0) continue;
    for (const RequestSample& r : run->requests) {
      if (mean.weight(r) == 0) continue;
      covariance += (r.prompt - x / n) * (mean.value(r) - y / n);
      variance += (r.prompt - x / n) * (r.prompt - x / n);
    }
  }
  return variance == 0 ? 0 : covariance / variance;
}

double PromptMean(const RunSample& a, const RunSample& b) {
  double sum = 0, n = 0;
  for (const RunSample* run : {&a, &b}) {
    for (const RequestSample& request : run->requests) {
      sum += request.prompt;
      n += 1;
    }
  }
  return n == 0 ? 0 : sum / n;
}

// False where either run has nothing to say.
bool Measure(const RunSample& a, const RunSample& b, const CompareOptions& options, ComparedFigure& figure) {
  BlockBootstrap blocks_a(a.requests.size(), options.seed), blocks_b(b.requests.size(), options.seed + 1);
  const bool adjust = figure.mean && figure.mean->by_prompt;
  const double slope = adjust ? SlopeOf(a, b, *figure.mean) : 0, prompt = adjust ? PromptMean(a, b) : 0;
  const FigureSide side_a(a, figure, blocks_a, slope, prompt), side_b(b, figure, blocks_b, slope, prompt);
  if (side_a.empty() || side_b.empty()) return false;
  FigureChange& change = figure.change;
  change.a = FigureSide(a, figure, blocks_a, 0, 0).Value(blocks_a);
  change.b = FigureSide(b, figure, blocks_b, 0, 0).Value(blocks_b);
  if (change.a == 0 && change.b == 0) return false;
  change.difference = side_b.Value(blocks_b) - side_a.Value(blocks_a);
  double sum = 0, squares = 0;
  const uint32_t draws = figure.mean ? kMeanDraws : options.quantile_draws;
  for (uint32_t i = 0; i < draws; ++i) {
    blocks_a.Draw();
    blocks_b.Draw();
    const double drawn = side_b.Value(blocks_b) - side_a.Value(blocks_a);
    sum += drawn;
    squares += drawn * drawn;
  }
  const double n = draws, mean = sum / n;
  const size_t freedom = std::min(blocks_a.blocks(), blocks_b.blocks()) - 1;
  // The draws of k blocks spread by (k - 1) / k less than runs do.
  const double error = std::sqrt(std::max(0.0, squares / n - mean * mean) * static_cast<double>(freedom + 1) /
                                 static_cast<double>(std::max<size_t>(freedom, 1)));
  change.p = PValue(change.difference, error, freedom);
  const double least = std::min(change.difference, -change.a);
  change.low = std::max(least, change.difference - StudentT975(freedom) * error);
  change.high = change.difference + StudentT975(freedom) * error;
  return true;
}

// Holm: the smallest p-value times the number of figures, the next times one less, and so on; never decreasing.
void Correct(std::vector<FigureChange>& changes) {
  std::vector<size_t> order(changes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t k) { return changes[i].p < changes[k].p; });
  double largest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    FigureChange& change = changes[order[rank]];
    largest = std::max(largest, std::min(1.0, change.p * static_cast<double>(order.size() - rank)));
    change.corrected_p = largest;
    change.changed = largest < kLevel;
  }
}

}  // namespace

std::vector<FigureChange> CompareRuns(const RunSample& a, const RunSample& b, const CompareOptions& options) {
  if (a.requests.size() < 2 || b.requests.size() < 2) return {};
  std::vector<FigureChange> changes;
  for (ComparedFigure& figure : ComparedFigures()) {
    if (Measure(a, b, options, figure)) changes.push_back(std::move(figure.change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const FigureChange& x, const FigureChange& y) { return x.group < y.group; });
  Correct(changes);
  return changes;
}

const FigureChange* ChiefPhase(const std::vector<FigureChange>& figures, FigureGroup group) {
  const FigureChange* chief = nullptr;
  for (const FigureChange& figure : figures) {
    if (figure.group != group || !figure.changed) continue;
    if (chief == nullptr || std::abs(figure.difference) > std::abs(chief->difference)) chief = &figure;
  }
  return chief;
}

}  // namespace slowtoken::analysis
