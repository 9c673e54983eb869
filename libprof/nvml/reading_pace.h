// ReadingPace: how often one reading of one device is taken. One that is not supported or not permitted is given up;
// one that fails otherwise or is slow is taken half as often each time, up to once a minute, and comes back when it is
// fast again. Plain arithmetic on samples, which come once a second.
#pragma once

#include <cstdint>

#include "nvml/api_table.h"

namespace slowtoken::nvml {

class ReadingPace {
 public:
  // Whether it is due with this sample.
  bool Due() {
    if (given_up_) return false;
    if (wait_ != 0) {
      --wait_;
      return false;
    }
    return true;
  }

  // What came of it, and how long it took.
  void Took(uint64_t ns, int result) {
    if (result == kNotSupported || result == kNoPermission || result == kFunctionNotFound ||
        result == kInvalidArgument) {
      given_up_ = true;
      return;
    }
    if (result != kSuccess || ns > kSlowNs) {
      period_ = period_ * 2 < kLongestPeriod ? period_ * 2 : kLongestPeriod;
    } else if (ns < kFastNs && period_ > 1) {
      period_ /= 2;
    }
    wait_ = period_ - 1;
  }

  bool given_up() const { return given_up_; }
  bool slowed() const { return period_ > 1; }

  static constexpr uint64_t kSlowNs = 2'000'000;
  static constexpr uint64_t kFastNs = 1'000'000;
  static constexpr uint32_t kLongestPeriod = 64;

 private:
  uint32_t period_ = 1;  // in samples
  uint32_t wait_ = 0;    // samples left out until it is due
  bool given_up_ = false;
};

}  // namespace slowtoken::nvml
