#include "top_numbers.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "analysis/text_safety.h"
#include "present_text.h"

namespace slowtoken::cli {
namespace {

using analysis::Present;
using analysis::PresentHistogram;
using record::Counter;
using record::Metric;

constexpr const char* kIdleNames[] = {"host", "dependency", "copy", "no_work"};

// A process now and at the look before; `before` is empty where it is new.
struct Pair {
  const Present* now = nullptr;
  const Present* before = nullptr;

  double seconds() const {
    const record::TimeNs from = before != nullptr ? before->now : now->process.start;
    return now->now > from ? static_cast<double>(now->now - from) / 1e9 : 0;
  }
  uint64_t Grown(const analysis::CounterKey& key) const {
    const auto at = now->counters.find(key);
    if (at == now->counters.end()) return 0;
    const uint64_t old = before != nullptr ? before->Count(key.counter, key.label, key.detail).value_or(0) : 0;
    return at->second > old ? at->second - old : 0;
  }
  uint64_t Grown(Counter counter) const {
    uint64_t sum = 0;
    for (const auto& [key, value] : now->counters) {
      if (key.counter == counter) sum += Grown(key);
    }
    return sum;
  }
};

// The same histogram of several processes, as far as it grew.
PresentHistogram Grown(const std::vector<Pair>& pairs, Metric metric, uint8_t label = 0) {
  PresentHistogram sum;
  for (const Pair& pair : pairs) {
    const PresentHistogram* now = pair.now->Find(metric, label);
    if (now == nullptr) continue;
    const PresentHistogram* before = pair.before != nullptr ? pair.before->Find(metric, label) : nullptr;
    const PresentHistogram grown = before != nullptr ? now->Since(*before) : *now;
    sum.count += grown.count;
    sum.sum_ns += grown.sum_ns;
    sum.max_ns = std::max(sum.max_ns, grown.max_ns);
    for (const auto& [index, n] : grown.buckets) sum.buckets[index] += n;
  }
  return sum;
}

TopLatency Latency(const std::vector<Pair>& pairs, Metric whole, Metric phase, std::span<const char* const> names) {
  TopLatency latency;
  const PresentHistogram all = Grown(pairs, whole);
  latency.count = all.count;
  latency.p50_ns = all.Quantile(0.5);
  latency.p99_ns = all.Quantile(0.99);
  for (size_t i = 0; i < names.size(); ++i) {
    const PresentHistogram part = Grown(pairs, phase, static_cast<uint8_t>(i));
    if (part.sum_ns != 0) latency.phases.push_back({names[i], part.sum_ns, part.Quantile(0.5), part.Quantile(0.99)});
  }
  std::stable_sort(latency.phases.begin(), latency.phases.end(),
                   [](const TopPhase& a, const TopPhase& b) { return a.sum_ns > b.sum_ns; });
  return latency;
}

// Where the frontend is a process of its own, it and the engine both see every token: requests are counted where they
// arrive, that is where TTFT is known; if nowhere, everywhere.
std::vector<Pair> WhereRequestsArrive(const std::vector<Pair>& pairs) {
  std::vector<Pair> chosen;
  for (const Pair& pair : pairs) {
    if (pair.now->Find(Metric::kTtft) != nullptr) chosen.push_back(pair);
  }
  return chosen.empty() ? pairs : chosen;
}

void AddRequests(const std::vector<Pair>& pairs, TopRun& run) {
  for (const Pair& pair : WhereRequestsArrive(pairs)) {
    const analysis::CounterKey generated{Counter::kTokens, static_cast<uint32_t>(record::TokenKind::kGenerated), 0};
    if (pair.seconds() <= 0 || !pair.now->counters.contains(generated)) continue;
    run.requests_per_s =
        run.requests_per_s.value_or(0) + static_cast<double>(pair.Grown(Counter::kRequests)) / pair.seconds();
    run.tokens_per_s = run.tokens_per_s.value_or(0) + static_cast<double>(pair.Grown(generated)) / pair.seconds();
    for (const auto& [key, value] : pair.now->counters) {
      if (key.counter != Counter::kStalls) continue;
      run.stalls[key.label < record::kCauseCount ? record::kCauseNames[key.label]
                                                 : absl::StrCat("cause ", key.label)] += pair.Grown(key);
    }
  }
}

void AddDevices(const std::vector<Pair>& pairs, TopRun& run) {
  std::map<std::string, TopDevice> devices;
  for (const Pair& pair : pairs) {
    if (pair.seconds() <= 0) continue;
    for (const auto& [key, value] : pair.now->counters) {
      if (key.counter != Counter::kGpuBusyNs && key.counter != Counter::kGpuIdleNs) continue;
      TopDevice& device = devices[pair.now->DeviceName(key.label)];
      const double share = static_cast<double>(pair.Grown(key)) / 1e9 / pair.seconds();
      if (key.counter == Counter::kGpuBusyNs) device.busy += share;
      if (key.counter == Counter::kGpuIdleNs && key.detail < std::size(kIdleNames)) {
        device.idle[kIdleNames[key.detail]] += share;
      }
    }
  }
  for (auto& [name, device] : devices) {
    device.name = name;
    run.devices.push_back(std::move(device));
  }
}

void AddRecorder(const Pair& pair, TopRun& run) {
  const Present& p = *pair.now;
  for (const auto& [cause, count] : p.process.losses) {
    const uint64_t old = pair.before != nullptr ? pair.before->Lost(cause) : 0;
    run.dropped += count > old ? count - old : 0;
  }
  for (const auto& [reason, ns] : p.BlindByReason()) run.blind_ns[reason] = std::max(run.blind_ns[reason], ns);
  const uint64_t cost = p.cost.own_ns();
  const uint64_t old = pair.before != nullptr ? pair.before->cost.own_ns() : 0;
  if (pair.seconds() > 0 && cost > old) {
    run.own_cost = std::max(run.own_cost, static_cast<double>(cost - old) / 1e9 / pair.seconds());
  }
  if (p.detail) run.budget = std::max(run.budget, static_cast<double>(p.detail->budget_ppm) / 1e6);
  run.memory_bytes += p.cost.memory_bytes;
}

TopRun Numbers(const std::string& run_id, const std::vector<Pair>& pairs) {
  TopRun run;
  run.run_id = run_id;
  for (const Pair& pair : pairs) {
    const Present& p = *pair.now;
    run.processes.push_back(
        absl::StrCat(analysis::SafeText(p.process.role, 32), " ", p.process.pid, ": ", ModeText(p)));
    run.seconds = std::max(run.seconds, pair.seconds());
    run.since_start = run.since_start || pair.before == nullptr;
    AddRecorder(pair, run);
  }
  AddRequests(pairs, run);
  const std::vector<Pair> front = WhereRequestsArrive(pairs);
  run.ttft = Latency(front, Metric::kTtft, Metric::kTtftPhase, record::kTtftPhaseNames);
  run.itl = Latency(front, Metric::kItlStep, Metric::kItlPhase, record::kGapPhaseNames);
  const PresentHistogram delay = Grown(pairs, Metric::kLaunchDelay);
  run.launches = Grown(pairs, Metric::kLaunchApi).count;
  run.launch_delay_p50_ns = delay.Quantile(0.5);
  run.launch_delay_p99_ns = delay.Quantile(0.99);
  AddDevices(pairs, run);
  return run;
}

bool SameProcess(const Present& a, const Present& b) {
  return a.process.pid == b.process.pid && a.process.pid_start_ticks == b.process.pid_start_ticks &&
         a.process.run_id == b.process.run_id && a.process.start == b.process.start;
}

}  // namespace

std::vector<TopRun> TopNumbers(const TopLook& before, const TopLook& now) {
  std::map<std::string, std::vector<Pair>> by_run;
  for (const Present& p : now) {
    const auto old = std::find_if(before.begin(), before.end(), [&](const Present& b) { return SameProcess(p, b); });
    by_run[analysis::SafeText(p.process.run_id, 32)].push_back({&p, old == before.end() ? nullptr : &*old});
  }
  std::vector<TopRun> runs;
  runs.reserve(by_run.size());
  for (const auto& [run_id, pairs] : by_run) runs.push_back(Numbers(run_id, pairs));
  return runs;
}

}  // namespace slowtoken::cli
