// FlushWatch: what our flushes of CUPTI cost, and whether that grows: in CUPTI 13.0 the CPU cost of a long session
// grows without bound (fixed in 13.4 update 1). The cost of a flush is set against the bytes it brought, so that more
// traffic is no growth; the first window is the measure. Worker only, a few ns a round.
#pragma once

#include <cstdint>

namespace slowtoken::cupti {

class FlushWatch {
 public:
  static constexpr uint32_t kWindow = 512;            // flushes
  static constexpr uint64_t kBaseBytes = 4096;        // what an empty flush is counted as
  static constexpr uint32_t kFactor = 4;              // growth that is told, and then each further such factor
  static constexpr uint64_t kLeastCpuNs = 1'000'000;  // a mean below it harms nobody

  // One flush: its CPU time and the bytes decoded after it. True when there is growth to tell.
  bool Add(uint64_t cpu_ns, uint64_t bytes) {
    total_cpu_ns_ += cpu_ns;
    cpu_ns_ += cpu_ns;
    bytes_ += bytes + kBaseBytes;
    if (++flushes_ < kWindow) return false;
    const uint64_t mean = cpu_ns_ / kWindow;
    const double rate = static_cast<double>(cpu_ns_) / static_cast<double>(bytes_);
    cpu_ns_ = bytes_ = flushes_ = 0;
    if (first_rate_ == 0) {
      first_rate_ = rate;
      return false;
    }
    growth_ = rate / first_rate_;
    if (mean < kLeastCpuNs || growth_ < told_ * kFactor) return false;
    told_ = growth_;
    return true;
  }

  uint64_t total_cpu_ns() const { return total_cpu_ns_; }
  double growth() const { return growth_; }  // the last whole window's rate by the first one's

 private:
  uint64_t total_cpu_ns_ = 0;
  uint64_t cpu_ns_ = 0, bytes_ = 0, flushes_ = 0;  // of this window
  double first_rate_ = 0, growth_ = 1, told_ = 1;
};

}  // namespace slowtoken::cupti
