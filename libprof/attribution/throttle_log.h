// ThrottleLog: when a GPU's clocks were held down, from what NVML said about once a second. Filled by the engine, asked
// when a decode iteration took longer for the same work; single threaded. A sample is one look at a few bits.
#pragma once

#include <array>

#include "record/conditions.h"

namespace slowtoken::attribution {

class ThrottleLog {
 public:
  // `device_bit`: Devices::BitOf of the GPU.
  void Add(const record::DeviceSample& sample, uint64_t device_bit) {
    const uint64_t reasons = sample.throttle_reasons & record::kSlowingReasons;
    if ((sample.present & record::kSampleThrottle) == 0 || reasons == 0) return;
    entries_[next_++ % kKept] = {sample.time, device_bit, reasons};
  }

  // Why the GPUs of `devices` were held down between `start` and `end` (bits of record::kThrottleReasons), by the
  // samples in that time and the nearest before and after it; 0: they were not, nobody sampled, or it is too long ago.
  uint64_t Over(uint64_t devices, record::TimeNs start, record::TimeNs end) const {
    uint64_t reasons = 0;
    for (const Entry& entry : entries_) {
      const bool near = entry.time + kPeriodNs >= start && entry.time <= end + kPeriodNs;
      if (near && (entry.device_bit & devices) != 0) reasons |= entry.reasons;
    }
    return reasons;
  }

 private:
  static constexpr size_t kKept = 256;                        // of eight throttled GPUs the last half minute
  static constexpr record::TimeNs kPeriodNs = 1'000'000'000;  // between two samples
  struct Entry {
    record::TimeNs time = 0;
    uint64_t device_bit = 0;
    uint64_t reasons = 0;
  };

  std::array<Entry, kKept> entries_{};
  size_t next_ = 0;
};

}  // namespace slowtoken::attribution
