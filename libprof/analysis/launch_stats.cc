#include "analysis/launch_stats.h"

#include "analysis/interval.h"

namespace slowtoken::analysis {

void LaunchStats::AddCall(const record::ApiCall& call) {
  using record::ApiClass;
  const bool launches = call.api_class == ApiClass::kKernelLaunch || call.api_class == ApiClass::kGraphLaunch;
  if (!launches || call.correlation == 0) return;
  const uint64_t id = attribution::LaunchId(call.process, call.correlation);
  if (call.captured) {
    captured_.insert(id);
  } else if (call.return_value != 0) {
    failed_.insert(id);
  }
}

void LaunchStats::Add(const attribution::Launch& launch) {
  if (!launch.counts()) return;
  ++launches_;
  if (launch.api_class == record::ApiClass::kGraphLaunch) ++graph_launches_;
  const bool timed = IsInterval(launch.start, launch.end);
  if (timed) api_.Add(launch.end - launch.start);
  if (launch.gpu_records == 0) return;
  ++matched_;
  if (!timed || !IsInterval(launch.first_gpu_start, launch.last_gpu_end)) return;
  if (launch.first_gpu_start > launch.end) {
    delay_.Add(launch.first_gpu_start - launch.end);
  } else {
    ++early_;
  }
  if (launch.last_gpu_end > launch.start) total_.Add(launch.last_gpu_end - launch.start);
}

}  // namespace slowtoken::analysis
