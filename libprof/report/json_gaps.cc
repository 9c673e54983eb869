#include "report/json_gaps.h"

namespace slowtoken::report {
namespace {

Json PlacesJson(const google::protobuf::RepeatedPtrField<v1::LaunchPlace>& places) {
  Json out = Json::array();
  for (const v1::LaunchPlace& place : places) {
    out.push_back({{"role", TextOrNull(place.role())},
                   {"pid", place.pid()},
                   {"thread", place.thread()},
                   {"thread_name", TextOrNull(place.thread_name())},
                   {"thread_role", TextOrNull(place.thread_role())},
                   {"range", place.has_range() ? Json(place.range()) : Json()},
                   {"count", place.ns().count()},
                   {"total_ns", place.total_ns()},
                   {"p50_ns", place.ns().p50_ns()},
                   {"max_ns", place.ns().max_ns()}});
  }
  return out;
}

Json AwaitedJson(const v1::LaunchGaps& gaps) {
  Json out = Json::array();
  for (const v1::AwaitedThread& thread : gaps.awaited()) {
    out.push_back({{"role", TextOrNull(thread.role())},
                   {"pid", thread.pid()},
                   {"thread", thread.thread()},
                   {"thread_name", TextOrNull(thread.thread_name())},
                   {"thread_role", TextOrNull(thread.thread_role())},
                   {"idle_ns", thread.idle_ns()},
                   {"known_ns", thread.known_ns()},
                   {"ran_ns", thread.ran_ns()},
                   {"preempted_ns", thread.preempted_ns()},
                   {"blocked_ns", thread.blocked_ns()},
                   {"migrations", thread.migrations()}});
  }
  return out;
}

Json QueueJson(const v1::LaunchQueue& queue) {
  return {{"role", TextOrNull(queue.role())},
          {"pid", queue.pid()},
          {"launches", queue.launches()},
          {"mean", queue.mean()},
          {"max", queue.max()}};
}

Json SmallKernelsJson(const v1::LaunchGaps& gaps) {
  if (!gaps.has_small_kernels()) return Json();
  const v1::SmallKernels& kernels = gaps.small_kernels();
  return {{"below_ns", kernels.below_ns()},
          {"count", kernels.count()},
          {"of", kernels.of()},
          {"lost_ns", kernels.has_lost_ns() ? Json(kernels.lost_ns()) : Json()}};
}

}  // namespace

Json LaunchGapsJson(const v1::Report& report) {
  const v1::LaunchGaps& gaps = report.launch_gaps();
  Json queues = Json::array(), findings = Json::array();
  for (const v1::LaunchQueue& queue : gaps.queues()) queues.push_back(QueueJson(queue));
  for (const v1::GapFinding& finding : gaps.findings())
    findings.push_back({{"kind", finding.kind()}, {"share", finding.share()}, {"text", finding.text()}});
  return {{"host_idle_by", report.coverage().gpu_trusted() ? PlacesJson(gaps.host_idle()) : Json()},
          {"awaited", report.coverage().gpu_trusted() ? AwaitedJson(gaps) : Json()},
          {"delay_by", PlacesJson(gaps.delay())},
          {"queue", report.coverage().sampled() ? Json() : queues},
          {"small_kernels", SmallKernelsJson(gaps)},
          {"findings", findings}};
}

Json DecodeIdleJson(const v1::Device& device) {
  if (!device.has_decode()) return Json();
  return {{"iterations_ns", device.decode().iterations_ns()},
          {"host_idle_ns", device.decode().host_idle_ns()},
          {"host_idle_by", PlacesJson(device.decode().host_idle())}};
}

}  // namespace slowtoken::report
