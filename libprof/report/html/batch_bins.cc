#include "report/html/batch_bins.h"

#include <algorithm>
#include <cmath>

#include "report/html/time_bins.h"

namespace slowtoken::report::html {
namespace {

// A mean that knows whether there was anything to take it of.
class Mean {
 public:
  void Add(double value) {
    sum_ += value;
    ++count_;
  }
  // Three decimals: the page draws it.
  Json ToJson() const { return count_ == 0 ? Json() : Json(std::round(1000 * sum_ / count_) / 1000); }

 private:
  double sum_ = 0;
  double count_ = 0;
};

struct Bin {
  uint64_t iterations = 0;
  Mean decode, prefill, prefill_tok, waiting, kv_share, dur_ns;
};

}  // namespace

void BatchBins::Add(const record::IterationSummary& iteration) {
  if (iteration.dummy) return;
  Point& point = points_.emplace_back();
  point.start = iteration.start;
  point.dur_ns = iteration.end > iteration.start ? iteration.end - iteration.start : 0;
  point.batch_known = iteration.has_counts();
  point.decode = iteration.decode_rows;
  point.prefill = iteration.prefill_rows;
  point.prefill_tok = iteration.prefill_tokens;
  point.waiting_known = (iteration.present & 4) != 0;
  point.waiting = static_cast<uint32_t>(std::min<uint64_t>(iteration.waiting, UINT32_MAX));
  point.kv_known = (iteration.present & 3) == 3 && iteration.kv_total != 0;
  if (point.kv_known)
    point.kv_share =
        static_cast<float>(static_cast<double>(iteration.kv_used) / static_cast<double>(iteration.kv_total));
}

Json BatchBins::ToJson(record::TimeNs origin) {
  Json out = {{"start_ns", 0}, {"bin_ns", 0}, {"batch_unknown", 0}};
  for (const char* name : {"iterations", "decode", "prefill", "prefill_tok", "waiting", "kv_share", "dur_ns"})
    out[name] = Json::array();
  if (points_.empty()) return out;
  const auto [first, last] = std::minmax_element(points_.begin(), points_.end(),
                                                 [](const Point& a, const Point& b) { return a.start < b.start; });
  const TimeBins time = TimeBins::Of(first->start, last->start, points_.size(), kMostBins);
  std::vector<Bin> bins(time.count);
  uint64_t unknown = 0;
  for (const Point& point : points_) {
    Bin& bin = bins[time.BinOf(point.start)];
    ++bin.iterations;
    bin.dur_ns.Add(static_cast<double>(point.dur_ns));
    if (point.waiting_known) bin.waiting.Add(point.waiting);
    if (point.kv_known) bin.kv_share.Add(static_cast<double>(point.kv_share));
    if (!point.batch_known) {
      ++unknown;
      continue;
    }
    bin.decode.Add(point.decode);
    bin.prefill.Add(point.prefill);
    bin.prefill_tok.Add(point.prefill_tok);
  }
  out["start_ns"] = time.start - std::min(origin, time.start);
  out["bin_ns"] = time.bin_ns;
  out["batch_unknown"] = unknown;
  for (const Bin& bin : bins) {
    out["iterations"].push_back(bin.iterations);
    out["decode"].push_back(bin.decode.ToJson());
    out["prefill"].push_back(bin.prefill.ToJson());
    out["prefill_tok"].push_back(bin.prefill_tok.ToJson());
    out["waiting"].push_back(bin.waiting.ToJson());
    out["kv_share"].push_back(bin.kv_share.ToJson());
    out["dur_ns"].push_back(bin.dur_ns.ToJson());
  }
  return out;
}

}  // namespace slowtoken::report::html
