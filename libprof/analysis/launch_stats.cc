#include "analysis/launch_stats.h"

namespace slowtoken::analysis {

void LaunchStats::Add(const Launch& launch) {
  if (launch.api_start == 0 && !launch.is_launch) {
    without_call_ += launch.gpu_records;
    return;
  }
  if (!launch.is_launch) return;  // a copy or memset call
  if (launch.captured) {
    ++captured_;
    return;
  }
  if (launch.failed) {
    ++failed_;
    return;
  }
  ++launches_;
  if (launch.is_graph) ++graph_launches_;
  if (launch.api_start != 0) api_.Add(launch.api_end - launch.api_start);
  if (launch.gpu_records == 0) return;
  ++matched_;
  if (launch.gpu_start == 0 || launch.api_start == 0) return;
  if (launch.gpu_start > launch.api_end) {
    delay_.Add(launch.gpu_start - launch.api_end);
  } else {
    ++early_;
  }
  if (launch.gpu_end > launch.api_start) total_.Add(launch.gpu_end - launch.api_start);
}

}  // namespace slowtoken::analysis
