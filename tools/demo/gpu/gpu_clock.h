// Turns CUDA event times into CLOCK_MONOTONIC. A thread of its own records an event on an idle stream once a second,
// and watches for its completion between two readings of the host clock; the tightest of several tries becomes an
// anchor. Event times are then measured from the newest anchor before them, with the clock rate seen between anchors.
// The error is about half the tightest bracket: a few microseconds on an idle machine. ToHost: the GPU worker's thread,
// about two microseconds.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "core/clock.h"

namespace slowtoken::demo {

class GpuClock {
 public:
  // Takes the first anchor and starts the thread. Needs a current device.
  absl::Status Start();
  ~GpuClock();

  // When `event`, which has completed, happened. `not_before`: a host time before it, but not much. 0 if it cannot be
  // told.
  TimeNs ToHost(cudaEvent_t event, TimeNs not_before);

  // Half the width of the newest anchor's bracket: the error it may have.
  TimeNs uncertainty();

 private:
  struct Anchor {
    cudaEvent_t event = nullptr;
    TimeNs host = 0;
    TimeNs width = 0;   // of the bracket around `host`
    double rate = 1.0;  // host time per GPU time, from the anchor before
  };
  static constexpr size_t kAnchors = 4;

  absl::Status TakeAnchor();
  bool Try(Anchor& best);
  double Rate(const Anchor& last, const Anchor& next) const;
  const Anchor& AnchorBefore(TimeNs host) const;
  void Run();

  cudaStream_t stream_ = nullptr;
  std::array<cudaEvent_t, 2> scratch_{};    // the best try so far and the next; the clock thread's
  std::array<Anchor, kAnchors> anchors_{};  // newest first
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace slowtoken::demo
