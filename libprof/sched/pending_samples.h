// PendingSamples: samples of the threads of which totals are all there is, taken between two rounds and kept until the
// next one. Worker thread; bounded: where it is nearly full no more are taken, and the next one covers more time.
#pragma once

#include <algorithm>
#include <span>

#include "base/arena.h"
#include "record/visitor.h"

namespace slowtoken::sched {

class PendingSamples {
 public:
  bool Init(base::Arena& arena, size_t capacity) {
    samples_ = arena.AllocateArray<record::CpuSample>(capacity);
    return !samples_.empty();
  }

  size_t room() const { return samples_.size() - count_; }

  void Add(const record::CpuSample& sample) {
    if (room() > 0) samples_[count_++] = sample;
  }

  // The thread has waited for `ns` more before its newest sample than could be seen then: a wait is known when it ends.
  void Backdate(record::ThreadId thread, uint64_t ns) {
    for (size_t i = count_; i > 0 && ns > 0; --i) {
      record::CpuSample& sample = samples_[i - 1];
      if (sample.thread != thread) continue;
      const uint64_t room = sample.end - sample.start - sample.ran_ns - sample.waited_ns;
      const uint64_t more = std::min(room, ns);
      sample.waited_ns += more;
      ns -= more;
    }
  }

  void Tell(record::EventVisitor& out) {
    for (const record::CpuSample& sample : samples_.first(count_)) out.On(sample);
    count_ = 0;
  }

 private:
  std::span<record::CpuSample> samples_;
  size_t count_ = 0;
};

}  // namespace slowtoken::sched
