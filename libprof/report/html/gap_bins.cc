#include "report/html/gap_bins.h"

#include <algorithm>

#include "report/html/time_bins.h"

namespace slowtoken::report::html {
namespace {

// Nearest rank, as everywhere in the report.
template <typename Point>
uint64_t Quantile(const Point* sorted, size_t count, size_t percent) {
  const size_t rank = (count * percent + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1].gap_ns;
}

}  // namespace

Json GapBins::ToJson(record::TimeNs origin) {
  Json out = {{"start_ns", 0},           {"bin_ns", 0},
              {"count", Json::array()},  {"p50_ns", Json::array()},
              {"p99_ns", Json::array()}, {"max_ns", Json::array()}};
  if (points_.empty()) return out;
  const auto [first, last] =
      std::minmax_element(points_.begin(), points_.end(), [](const Point& a, const Point& b) { return a.end < b.end; });
  const TimeBins bins = TimeBins::Of(first->end, last->end, points_.size(), kMostBins);
  out["start_ns"] = bins.start - std::min(origin, bins.start);
  out["bin_ns"] = bins.bin_ns;
  std::sort(points_.begin(), points_.end(), [&](const Point& a, const Point& b) {
    const size_t of_a = bins.BinOf(a.end), of_b = bins.BinOf(b.end);
    return of_a != of_b ? of_a < of_b : a.gap_ns < b.gap_ns;
  });
  size_t next = 0;
  for (size_t bin = 0; bin < bins.count; ++bin) {
    const size_t begin = next;
    while (next < points_.size() && bins.BinOf(points_[next].end) == bin) ++next;
    const size_t count = next - begin;
    const Point* sorted = points_.data() + begin;
    out["count"].push_back(count);
    out["p50_ns"].push_back(count == 0 ? Json() : Json(Quantile(sorted, count, 50)));
    out["p99_ns"].push_back(count == 0 ? Json() : Json(Quantile(sorted, count, 99)));
    out["max_ns"].push_back(count == 0 ? Json() : Json(sorted[count - 1].gap_ns));
  }
  return out;
}

}  // namespace slowtoken::report::html
