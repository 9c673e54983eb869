#include "replay/log_generator.h"

#include <cmath>
#include <span>

#include "core/random.h"

namespace slowtoken::demo {
namespace {

struct Quantile {
  double share, value;
};

// Quantiles of "Azure LLM inference trace 2023, code".
constexpr Quantile kPromptTokens[] = {{0, 3},       {0.01, 17},  {0.05, 75},   {0.1, 147},   {0.25, 578}, {0.5, 1469},
                                      {0.75, 2745}, {0.9, 5194}, {0.95, 7315}, {0.99, 7436}, {1, 7437}};
constexpr Quantile kAnswerTokens[] = {{0, 6},    {0.05, 6},  {0.1, 7},    {0.25, 9},    {0.5, 13},    {0.75, 24},
                                      {0.9, 55}, {0.95, 90}, {0.99, 252}, {0.995, 361}, {0.999, 831}, {1, 1899}};
constexpr Quantile kGapSeconds[] = {{0, 6e-6},        {0.01, 2.2e-5},   {0.05, 8.8e-5},   {0.1, 2.09e-4},
                                    {0.25, 2.077e-3}, {0.5, 0.063812},  {0.75, 0.103998}, {0.9, 0.273039},
                                    {0.95, 0.400846}, {0.99, 2.205167}, {0.995, 10.1244}, {0.999, 82.7522},
                                    {1, 217.168952}};

// The value below which `share` of the trace lies; between two quantiles, on a straight line of logarithms.
double Interpolate(std::span<const Quantile> quantiles, double share) {
  size_t above = 1;
  while (above + 1 < quantiles.size() && quantiles[above].share < share) ++above;
  const Quantile &low = quantiles[above - 1], &high = quantiles[above];
  const double part = (share - low.share) / (high.share - low.share);
  return low.value * std::pow(high.value / low.value, part);
}

}  // namespace

std::vector<LoggedRequest> GenerateRequestLog(int64_t count, uint64_t seed) {
  std::vector<LoggedRequest> log;
  uint64_t draws = Mix(seed);
  const auto draw = [&](std::span<const Quantile> quantiles) {
    draws = Mix(draws);
    return Interpolate(quantiles, Uniform(draws));
  };
  double arrival = 0;
  for (int64_t i = 0; i < count; ++i) {
    log.push_back({arrival, std::lround(draw(kPromptTokens)), std::lround(draw(kAnswerTokens))});
    arrival += draw(kGapSeconds);
  }
  return log;
}

}  // namespace slowtoken::demo
