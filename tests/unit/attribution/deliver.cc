#include <algorithm>
#include <random>

#include "workload.h"

namespace slowtoken::attribution::testing {

using record::TimeNs;

void Deliver(const EventLog& log, const DeliveryOptions& options, Bench& bench) {
  std::mt19937_64 random(options.seed);
  std::vector<std::pair<TimeNs, const LoggedEvent*>> order;
  for (const LoggedEvent& event : log) {
    const TimeNs late = options.lateness == 0 ? 0 : random() % options.lateness;
    order.emplace_back(event.known + late, &event);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  TimeNs watermark = order.front().first / options.period * options.period;
  const TimeNs last = log.back().known + kSecond;  // the same Advance events whatever comes late
  for (size_t i = 0; i < order.size() || watermark < last;) {
    size_t end = i;
    while (end < order.size() && order[end].first <= watermark) ++end;
    if (options.shuffle)
      std::shuffle(order.begin() + static_cast<ptrdiff_t>(i), order.begin() + static_cast<ptrdiff_t>(end), random);
    for (; i < end; ++i) order[i].second->DeliverTo(bench.engine());
    for (int p = 0; p < options.processes; ++p) bench.Advance(watermark, static_cast<record::ProcessIndex>(p));
    watermark += options.period;
  }
  bench.engine().Finish();
}

}  // namespace slowtoken::attribution::testing
