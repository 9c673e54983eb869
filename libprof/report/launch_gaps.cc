#include "report/launch_gaps.h"

#include <algorithm>
#include <map>

#include "analysis/range_text.h"
#include "analysis/text_safety.h"
#include "report/gap_findings.h"
#include "report/report_builder.h"

namespace slowtoken::report {
namespace {

using analysis::LaunchPlaces;
using record::TimeNs;

constexpr size_t kMostPlaces = 50;

struct Names {
  const analysis::TraceAnalysis& analysis;
  const std::vector<reader::ProcessInfo>& processes;
};

std::string PlaceRangeText(analysis::RangeName range, const record::Dictionary& dictionary) {
  return range == analysis::kOtherRanges ? "(other ranges)" : analysis::RangeText(range, dictionary);
}

// `Out`: LaunchPlace or AwaitedThread.
template <typename Out>
void TellThread(uint64_t key, const Names& names, Out& out) {
  const auto process = static_cast<size_t>(key >> 32);
  if (process < names.processes.size()) {
    out.set_role(analysis::SafeText(names.processes[process].role, 64));
    out.set_pid(names.processes[process].pid);
  }
  out.set_thread(static_cast<uint32_t>(key));
  out.set_thread_name(analysis::SafeText(names.analysis.ThreadName(key), 64));
  out.set_thread_role(std::string(names.analysis.thread_roles().Of(key)));
}

v1::LaunchPlace PlaceOf(const LaunchPlaces::Place& place, const analysis::LogHistogram& ns, const Names& names) {
  v1::LaunchPlace out;
  TellThread(place.thread, names, out);
  if (place.range != analysis::kNoRange) out.set_range(PlaceRangeText(place.range, names.analysis.dictionary()));
  *out.mutable_ns() = ToDistribution(ns);
  out.set_total_ns(ns.sum());
  return out;
}

using Places = google::protobuf::RepeatedPtrField<v1::LaunchPlace>;

void Rank(Places& places) {
  std::stable_sort(places.begin(), places.end(), [](const v1::LaunchPlace& a, const v1::LaunchPlace& b) {
    if (a.total_ns() != b.total_ns()) return a.total_ns() > b.total_ns();
    return std::tuple(a.pid(), a.thread(), a.range()) < std::tuple(b.pid(), b.thread(), b.range());
  });
  if (places.size() > static_cast<int>(kMostPlaces))
    places.DeleteSubrange(static_cast<int>(kMostPlaces), places.size() - static_cast<int>(kMostPlaces));
}

void FillPlaces(LaunchPlaces::Table table, const Names& names, Places& out) {
  for (const LaunchPlaces::Place& place : names.analysis.places().places()) {
    if (place.ns[table].count() != 0) *out.Add() = PlaceOf(place, place.ns[table], names);
  }
  Rank(out);
}

// The windows of the device's processes, disjoint and in order, between its first and last GPU work.
std::vector<DecodeWindow> WindowsOf(const analysis::Device& device, const std::vector<DecodeWindow>& decode) {
  std::vector<DecodeWindow> windows;
  for (DecodeWindow window : decode) {
    window.start = std::max(window.start, device.timeline.first());
    window.end = std::min(window.end, device.timeline.last());
    if (!device.processes.contains(window.process) || window.start >= window.end) continue;
    if (!windows.empty() && window.start <= windows.back().end) {
      windows.back().end = std::max(windows.back().end, window.end);
    } else {
      windows.push_back(window);
    }
  }
  return windows;
}

// `decode` in order of start.
void FillDecode(const analysis::Device& device, const std::vector<DecodeWindow>& decode, const Names& names,
                v1::Device& out) {
  const std::vector<DecodeWindow> windows = WindowsOf(device, decode);
  if (windows.empty()) return;
  uint64_t whole = 0, idle_ns = 0;
  for (const DecodeWindow& window : windows) whole += window.end - window.start;
  std::map<uint32_t, analysis::LogHistogram> by_place;
  auto from = windows.begin();
  for (const analysis::DeviceTimeline::HostIdle& idle : device.timeline.LongHostIdle()) {
    while (from != windows.end() && from->end <= idle.start) ++from;
    uint64_t inside = 0;
    for (auto window = from; window != windows.end() && window->start < idle.end; ++window)
      inside += std::min(idle.end, window->end) - std::max(idle.start, window->start);
    if (inside == 0) continue;
    idle_ns += inside;
    by_place[names.analysis.places().PlaceOf(idle.ticket)].Add(inside);
  }
  v1::DecodeIdle& told = *out.mutable_decode();
  told.set_iterations_ns(whole);
  told.set_host_idle_ns(idle_ns);
  for (const auto& [place, ns] : by_place)
    *told.add_host_idle() = PlaceOf(names.analysis.places().places()[place], ns, names);
  Rank(*told.mutable_host_idle());
}

void FillDevice(const analysis::Device& device, bool trusted, const std::vector<DecodeWindow>& decode,
                const Names& names, v1::Device& out) {
  if (!trusted) return;
  const analysis::DeviceTimeline& timeline = device.timeline;
  if (const auto ns = timeline.copy_ns()) out.set_copies_ns(*ns);
  if (const auto ns = timeline.copy_overlapped_ns()) out.set_copies_overlapped_ns(*ns);
  if (const auto ns = timeline.streams_overlap_ns()) out.set_streams_overlap_ns(*ns);
  FillDecode(device, decode, names, out);
}

// Only intervals that are kept one by one can be laid over what the thread did.
void FillAwaited(const Names& names, v1::LaunchGaps& gaps) {
  std::map<uint64_t, std::pair<uint64_t, analysis::ThreadTimes::Spent>> threads;  // idle_ns, and how it was spent
  for (const analysis::Device& device : names.analysis.devices().all()) {
    for (const analysis::DeviceTimeline::HostIdle& idle : device.timeline.LongHostIdle()) {
      const uint64_t thread = names.analysis.places().places()[names.analysis.places().PlaceOf(idle.ticket)].thread;
      auto& [idle_ns, spent] = threads[thread];
      idle_ns += idle.end - idle.start;
      spent += names.analysis.thread_times().In(thread, idle.start, idle.end);
    }
  }
  for (const auto& [key, time] : threads) {
    const auto& [idle_ns, spent] = time;
    v1::AwaitedThread& out = *gaps.add_awaited();
    TellThread(key, names, out);
    out.set_idle_ns(idle_ns);
    out.set_known_ns(spent.known_ns);
    out.set_ran_ns(spent.ran_ns);
    out.set_preempted_ns(spent.preempted_ns);
    out.set_blocked_ns(spent.blocked_ns);
    out.set_migrations(spent.migrations);
  }
  std::stable_sort(gaps.mutable_awaited()->begin(), gaps.mutable_awaited()->end(),
                   [](const v1::AwaitedThread& a, const v1::AwaitedThread& b) { return a.idle_ns() > b.idle_ns(); });
}

void FillQueues(const Names& names, v1::LaunchGaps& gaps) {
  for (const auto& [process, queue] : names.analysis.queues()) {
    v1::LaunchQueue& out = *gaps.add_queues();
    if (process < names.processes.size()) {
      out.set_role(analysis::SafeText(names.processes[process].role, 64));
      out.set_pid(names.processes[process].pid);
    }
    out.set_launches(queue.launches());
    out.set_mean(queue.mean());
    out.set_max(queue.most());
  }
}

void FillSmallKernels(const analysis::TraceAnalysis& analysis, bool trusted, v1::LaunchGaps& gaps) {
  const analysis::TraceAnalysis::SingleKernels& kernels = analysis.single_kernels();
  if (kernels.count == 0) return;
  v1::SmallKernels& out = *gaps.mutable_small_kernels();
  out.set_below_ns(analysis::TraceAnalysis::kSmallKernel);
  out.set_count(kernels.small);
  out.set_of(kernels.count);
  if (!trusted) return;
  uint64_t lost = 0;
  for (const analysis::Device& device : analysis.devices().all()) lost += device.timeline.lost_between_small_ns();
  out.set_lost_ns(lost);
}

}  // namespace

void FillLaunchGaps(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                    std::vector<DecodeWindow> decode, v1::Report& report) {
  const Names names{analysis, processes};
  const bool trusted = report.coverage().gpu_trusted();
  std::sort(decode.begin(), decode.end(),
            [](const DecodeWindow& a, const DecodeWindow& b) { return a.start < b.start; });
  int i = 0;
  for (const analysis::Device& device : analysis.devices().all())
    FillDevice(device, trusted, decode, names, *report.mutable_devices(i++));
  v1::LaunchGaps& gaps = *report.mutable_launch_gaps();
  FillPlaces(LaunchPlaces::kDelay, names, *gaps.mutable_delay());
  if (trusted) FillPlaces(LaunchPlaces::kIdle, names, *gaps.mutable_host_idle());
  if (trusted) FillAwaited(names, gaps);
  if (!report.coverage().sampled()) FillQueues(names, gaps);
  FillSmallKernels(analysis, trusted, gaps);
  FillGapFindings(report);
}

}  // namespace slowtoken::report
