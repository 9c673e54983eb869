#include "gpu/gpu_clock.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gpu/cuda_status.h"

namespace slowtoken::demo {
namespace {

constexpr int kTries = 8;
constexpr TimeNs kGood = 30'000;     // a bracket this tight ends the search
constexpr TimeNs kUsable = 200'000;  // a wider one is not used while an older anchor will do
constexpr double kMaxDrift = 1e-3;   // clocks do not differ by more; a larger value is a bad bracket
constexpr double kRateDoubt = 3e-5;  // a rate is used if the brackets leave less doubt: 30 us in a second
constexpr double kNsPerMs = 1e6;

}  // namespace

absl::Status GpuClock::Start() {
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  for (cudaEvent_t& event : scratch_) SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventCreate(&event));
  if (absl::Status status = TakeAnchor(); !status.ok()) return status;
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

GpuClock::~GpuClock() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void GpuClock::Run() {
  pthread_setname_np(pthread_self(), "gpu-clock");
  cudaSetDevice(0);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return stop_; })) {
    lock.unlock();
    (void)TakeAnchor();  // a failure leaves the older anchors in use; the worker's own calls report the cause
    lock.lock();
  }
}

// One bracketed recording into the second scratch event; if it is the best so far, it moves to the first.
bool GpuClock::Try(Anchor& best) {
  const TimeNs before = NowNs();
  if (cudaEventRecord(scratch_[1], stream_) != cudaSuccess) return false;
  cudaError_t state;
  do state = cudaEventQuery(scratch_[1]);
  while (state == cudaErrorNotReady && NowNs() - before < 10 * kUsable);
  const TimeNs after = NowNs();
  if (state != cudaSuccess || (best.event && after - before >= best.width)) return false;
  best = {scratch_[1], before + (after - before) / 2, after - before, 1.0};
  std::swap(scratch_[0], scratch_[1]);
  return true;
}

// The clock rate between the last anchor and this one, or the last anchor's where the brackets are too wide to tell.
double GpuClock::Rate(const Anchor& last, const Anchor& next) const {
  float ms = 0;
  if (cudaEventElapsedTime(&ms, last.event, next.event) != cudaSuccess || ms <= 0) return last.rate;
  const double gpu_ns = static_cast<double>(ms) * kNsPerMs;
  const double rate = static_cast<double>(next.host - last.host) / gpu_ns;
  const double doubt = static_cast<double>(last.width + next.width) / 2 / gpu_ns;
  return doubt < kRateDoubt && std::abs(rate - 1.0) < kMaxDrift ? rate : last.rate;
}

absl::Status GpuClock::TakeAnchor() {
  Anchor best;
  for (int i = 0; i < kTries && (!best.event || best.width > kGood); ++i) Try(best);
  if (!best.event) return absl::InternalError("no CUDA event completed while setting the clock");
  const std::lock_guard lock(mutex_);
  if (anchors_[0].event) {
    if (best.width > kUsable && anchors_[0].width <= kUsable) return absl::OkStatus();
    best.rate = Rate(anchors_[0], best);
  }
  // The oldest anchor's event becomes scratch; the best one's is an anchor now.
  scratch_[0] = anchors_.back().event;
  if (!scratch_[0]) SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventCreate(&scratch_[0]));
  std::move_backward(anchors_.begin(), anchors_.end() - 1, anchors_.end());
  anchors_[0] = best;
  return absl::OkStatus();
}

const GpuClock::Anchor& GpuClock::AnchorBefore(TimeNs host) const {
  for (const Anchor& anchor : anchors_)
    if (anchor.event && anchor.host <= host) return anchor;
  return anchors_[0];
}

TimeNs GpuClock::ToHost(cudaEvent_t event, TimeNs not_before) {
  const std::lock_guard lock(mutex_);
  const Anchor& anchor = AnchorBefore(not_before);
  float ms = 0;
  if (cudaEventElapsedTime(&ms, anchor.event, event) != cudaSuccess) return 0;
  return anchor.host + static_cast<TimeNs>(static_cast<double>(ms) * kNsPerMs * anchors_[0].rate);
}

TimeNs GpuClock::uncertainty() {
  const std::lock_guard lock(mutex_);
  return anchors_[0].width / 2;
}

}  // namespace slowtoken::demo
