#include "analysis/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "analysis/block_bootstrap.h"
#include "analysis/paired_change.h"

namespace slowtoken::analysis {
namespace {

constexpr double kLevel = 0.05;
constexpr uint32_t kMeanDraws = 2000;  // they cost next to nothing: a sum over blocks

// A mean over what requests have of something: sum of `value` over sum of `weight`.
struct Mean {
  std::function<double(const RequestSample&)> value, weight;
  bool by_prompt = false;  // adjusted for the length of the prompt
};

// A quantile over all values of all requests.
struct Quantile {
  double q = 0.5;
  std::function<void(const RequestSample&, std::vector<double>&)> values;
};

struct Figure {
  FigureChange change;
  std::optional<Mean> mean;
  std::optional<Quantile> quantile;
};

// One run's side of one figure: its value under the weights the bootstrap has drawn.
class Side {
 public:
  Side(const RunSample& run, const Figure& figure, const BlockBootstrap& blocks, double slope, double prompt_mean) {
    if (figure.mean) {
      sums_.resize(blocks.blocks());
      for (size_t i = 0; i < run.requests.size(); ++i) {
        const RequestSample& request = run.requests[i];
        const double weight = figure.mean->weight(request);
        Sum& sum = sums_[blocks.BlockOf(i)];
        sum.value += figure.mean->value(request) - slope * weight * (request.prompt - prompt_mean);
        sum.weight += weight;
      }
      return;
    }
    std::vector<double> values;
    for (size_t i = 0; i < run.requests.size(); ++i) {
      values.clear();
      figure.quantile->values(run.requests[i], values);
      for (const double value : values) sorted_.emplace_back(value, blocks.BlockOf(i));
    }
    std::sort(sorted_.begin(), sorted_.end());
    in_block_.resize(blocks.blocks());
    for (const auto& [value, block] : sorted_) in_block_[block] += 1;
    q_ = figure.quantile->q;
  }

  bool empty() const {
    if (sums_.empty()) return sorted_.empty();
    return std::all_of(sums_.begin(), sums_.end(), [](const Sum& sum) { return sum.weight == 0; });
  }

  double Value(const BlockBootstrap& blocks) const { return sums_.empty() ? QuantileOf(blocks) : MeanOf(blocks); }

 private:
  struct Sum {
    double value = 0, weight = 0;
  };

  double MeanOf(const BlockBootstrap& blocks) const {
    Sum all;
    for (size_t i = 0; i < sums_.size(); ++i) {
      all.value += blocks.weight(i) * sums_[i].value;
      all.weight += blocks.weight(i) * sums_[i].weight;
    }
    return all.weight == 0 ? 0 : all.value / all.weight;
  }

  double QuantileOf(const BlockBootstrap& blocks) const {
    double total = 0;
    for (size_t i = 0; i < in_block_.size(); ++i) total += blocks.weight(i) * in_block_[i];
    double above = total;  // walked from the top: the quantiles that matter are high
    for (size_t i = sorted_.size(); i-- > 0;) {
      above -= blocks.weight(sorted_[i].second);
      if (above < total * q_) return sorted_[i].first;
    }
    return sorted_.empty() ? 0 : sorted_.front().first;
  }

  std::vector<Sum> sums_;                          // by block
  std::vector<std::pair<double, size_t>> sorted_;  // value, block
  std::vector<double> in_block_;                   // how many values
  double q_ = 0;
};

// The slope of a mean's value over the prompt's length, of both runs together: what is about the prompt, whichever run.
double SlopeOf(const RunSample& a, const RunSample& b, const Mean& mean) {
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

Figure MakeMean(std::string name, FigureGroup group, Better better, bool is_duration, Mean mean) {
  Figure figure;
  figure.change = {.name = std::move(name), .group = group, .better = better, .is_duration = is_duration};
  figure.mean = std::move(mean);
  return figure;
}

Figure MakeQuantile(std::string name, FigureGroup group, Quantile quantile) {
  Figure figure;
  figure.change = {.name = std::move(name), .group = group};
  figure.quantile = std::move(quantile);
  return figure;
}

double One(const RequestSample&) { return 1; }
double HasTtft(const RequestSample& r) { return r.ttft_ns ? 1 : 0; }
double Gaps(const RequestSample& r) { return static_cast<double>(r.gaps_ns.size()); }
double TtftOf(const RequestSample& r) { return r.ttft_ns.value_or(0); }
double GapSum(const RequestSample& r) { return std::accumulate(r.gaps_ns.begin(), r.gaps_ns.end(), 0.0); }

void AddOutcome(std::vector<Figure>& figures) {
  using enum FigureGroup;
  figures.push_back(MakeMean("failed share", kOutcome, Better::kLower, false,
                             {[](const RequestSample& r) { return r.failed ? 1.0 : 0.0; }, One}));
  figures.push_back(MakeMean("output tokens", kOutcome, Better::kNeither, false,
                             {[](const RequestSample& r) { return r.tokens; }, One}));
  figures.push_back(MakeMean("prompt tokens", kOutcome, Better::kNeither, false,
                             {[](const RequestSample& r) { return r.prompt; }, One}));
}

void AddLatencies(std::vector<Figure>& figures) {
  using enum FigureGroup;
  figures.push_back(MakeMean("TTFT mean", kTtft, Better::kLower, true, {TtftOf, HasTtft, true}));
  const auto ttft = [](const RequestSample& r, std::vector<double>& out) {
    if (r.ttft_ns) out.push_back(*r.ttft_ns);
  };
  figures.push_back(MakeQuantile("TTFT p50", kTtft, {0.5, ttft}));
  figures.push_back(MakeQuantile("TTFT p90", kTtft, {0.9, ttft}));
  figures.push_back(MakeMean("ITL mean", kItl, Better::kLower, true, {GapSum, Gaps}));
  const auto gaps = [](const RequestSample& r, std::vector<double>& out) { out = r.gaps_ns; };
  figures.push_back(MakeQuantile("ITL p50", kItl, {0.5, gaps}));
  figures.push_back(MakeQuantile("ITL p90", kItl, {0.9, gaps}));
  figures.push_back(MakeQuantile("ITL p99", kItl, {0.99, gaps}));
  figures.push_back(MakeMean("stalls per token", kItl, Better::kLower, false,
                             {[](const RequestSample& r) { return r.stalls; }, Gaps}));
}

void AddPhases(std::vector<Figure>& figures) {
  for (size_t i = 0; i < record::kTtftPhaseCount; ++i) {
    figures.push_back(MakeMean(record::kTtftPhaseNames[i], FigureGroup::kTtftPhase, Better::kLower, true,
                               {[i](const RequestSample& r) { return r.ttft_ns ? r.ttft_phases[i] : 0; },
                                [](const RequestSample& r) { return r.ttft_ns && r.has_phases ? 1.0 : 0.0; }, true}));
  }
  for (size_t i = 0; i < record::kGapPhaseCount; ++i) {
    figures.push_back(MakeMean(record::kGapPhaseNames[i], FigureGroup::kItlPhase, Better::kLower, true,
                               {[i](const RequestSample& r) { return r.gap_phases[i]; },
                                [](const RequestSample& r) { return r.has_phases ? Gaps(r) : 0; }}));
  }
}

// False where either run has nothing to say.
bool Measure(const RunSample& a, const RunSample& b, const CompareOptions& options, Figure& figure) {
  BlockBootstrap blocks_a(a.requests.size(), options.seed), blocks_b(b.requests.size(), options.seed + 1);
  const bool adjust = figure.mean && figure.mean->by_prompt;
  const double slope = adjust ? SlopeOf(a, b, *figure.mean) : 0, prompt = adjust ? PromptMean(a, b) : 0;
  const Side side_a(a, figure, blocks_a, slope, prompt), side_b(b, figure, blocks_b, slope, prompt);
  if (side_a.empty() || side_b.empty()) return false;
  FigureChange& change = figure.change;
  change.a = Side(a, figure, blocks_a, 0, 0).Value(blocks_a);
  change.b = Side(b, figure, blocks_b, 0, 0).Value(blocks_b);
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
  change.low = change.difference - StudentT975(freedom) * error;
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
  std::vector<Figure> figures;
  AddOutcome(figures);
  AddLatencies(figures);
  AddPhases(figures);
  std::vector<FigureChange> changes;
  for (Figure& figure : figures) {
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
