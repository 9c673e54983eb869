#include "report/gap_findings.h"

#include <absl/strings/str_cat.h>

#include "report/thread_label.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

constexpr double kHostBound = 0.10;      // of the time of decode-only iterations
constexpr double kManySmall = 0.50;      // of the kernels launched one by one
constexpr double kLostBetween = 0.05;    // of busy time and what was lost
constexpr double kCopiesMatter = 0.02;   // of busy time
constexpr double kCopiesOverlap = 0.50;  // of the copies' time

std::string DeviceText(const v1::Device& device) {
  return device.name().empty() ? device.uuid().substr(0, 12) : device.name();
}

void Add(const char* kind, double share, std::string text, v1::LaunchGaps& gaps) {
  v1::GapFinding& finding = *gaps.add_findings();
  finding.set_kind(kind);
  finding.set_share(share);
  finding.set_text(std::move(text));
}

void AddHostBound(const v1::Device& device, v1::LaunchGaps& gaps) {
  const v1::DecodeIdle& decode = device.decode();
  const double share = Share(decode.host_idle_ns(), decode.iterations_ns());
  if (share < kHostBound || decode.host_idle().empty()) return;
  const v1::LaunchPlace& most = decode.host_idle(0);
  Add("host_bound_decode", share,
      absl::StrCat("decode waits for the host: ", DeviceText(device), " was idle in ", Percent(share), " of ",
                   Duration(decode.iterations_ns()), " of decode iterations, because nothing was launched; ",
                   Percent(Share(most.total_ns(), decode.host_idle_ns())), " of that ended with a launch by ",
                   PlaceText(most)),
      gaps);
}

void AddSmallKernels(uint64_t busy_ns, v1::LaunchGaps& gaps) {
  const v1::SmallKernels& kernels = gaps.small_kernels();
  const double small = Share(kernels.count(), kernels.of());
  const double lost = Share(kernels.lost_ns(), busy_ns + kernels.lost_ns());
  if (!kernels.has_lost_ns() || small < kManySmall || lost < kLostBetween) return;
  Add("small_kernels", lost,
      absl::StrCat("many small kernels: ", Percent(small), " of ", WithCommas(kernels.of()),
                   " kernels launched one by one are shorter than ", Duration(kernels.below_ns()),
                   ", and the GPU lost ", Duration(kernels.lost_ns()), " (", Percent(lost),
                   ") between them; a CUDA graph launches them at once"),
      gaps);
}

void AddCopies(const v1::Device& device, v1::LaunchGaps& gaps) {
  const double beside = Share(device.copies_overlapped_ns(), device.copies_ns());
  const bool matter = Share(device.copies_ns(), device.busy_ns()) >= kCopiesMatter;
  if (!device.has_copies_overlapped_ns() || !matter || beside >= kCopiesOverlap) return;
  Add("copies_alone", beside,
      absl::StrCat("copies hardly overlap with kernels: ", DeviceText(device), " copied for ",
                   Duration(device.copies_ns()), ", ", Percent(beside),
                   " of it beside kernels; pinned memory and a stream of their own let them overlap"),
      gaps);
}

}  // namespace

std::string PlaceText(const v1::LaunchPlace& place) {
  const bool named = !place.thread_name().empty() && !IsPseudonym(place.thread_name());
  const std::string thread = named ? absl::StrCat("thread ", place.thread_name(), " (", place.thread(), ")")
                             : !place.thread_role().empty()
                                 ? absl::StrCat("the ", place.thread_role(), " (", place.thread(), ")")
                                 : absl::StrCat("thread ", place.thread());
  return absl::StrCat(thread, place.has_range() ? absl::StrCat(" in ", place.range()) : " outside any range");
}

void FillGapFindings(v1::Report& report) {
  v1::LaunchGaps& gaps = *report.mutable_launch_gaps();
  uint64_t busy_ns = 0;
  for (const v1::Device& device : report.devices()) {
    busy_ns += device.busy_ns();
    AddHostBound(device, gaps);
    AddCopies(device, gaps);
  }
  AddSmallKernels(busy_ns, gaps);
}

}  // namespace slowtoken::report
