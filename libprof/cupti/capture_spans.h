// CaptureSpans: which CUDA calls were issued while their thread captured a stream: such a launch builds a graph node
// and starts nothing. Told from the API records of StreamBeginCapture and StreamEndCapture alone, because CUPTI's
// resource call-backs, which would tell it node by node, need the one subscription a process has, and holding that
// shuts other tools out (docs/HOST_SAFETY.md rule 12). Blurred in two cases: a thread that launches into another stream
// while it captures one, and a thread that launches into a stream which another one captures. Worker only. Records of
// one thread arrive in the order of its calls; all stamps are CUPTI's clock. A few instructions a call when nothing is
// being captured. Holds the newest kSpans captures.
#pragma once

#include <array>
#include <cstdint>

#include "base/loss.h"
#include "record/host_events.h"

namespace slowtoken::cupti {

class CaptureSpans {
 public:
  static constexpr size_t kSpans = 256;

  // `thread` is what CUPTI calls it. A runtime call and the driver call inside it both say begin and end: each domain
  // has its own spans.
  void Begin(record::ApiDomain domain, uint32_t thread, uint64_t call_end, base::LossCounters& losses) {
    Span& span = spans_[next_++ % kSpans];
    if (span.open) {
      --open_;
      losses.Add(base::Loss::kCaptureForgotten);
    }
    span = {.begin = call_end, .end = 0, .thread = thread, .domain = domain, .open = true};
    ++open_;
  }

  void End(record::ApiDomain domain, uint32_t thread, uint64_t call_start) {
    for (uint64_t i = next_; i > First(); --i) {
      Span& span = spans_[(i - 1) % kSpans];
      if (!span.open || span.thread != thread || span.domain != domain) continue;
      span.open = false;
      span.end = call_start;
      --open_;
      if (call_start > last_end_) last_end_ = call_start;
      return;
    }
  }

  // True if a call of `thread` that began at `call_start` was captured.
  bool Contains(uint32_t thread, uint64_t call_start) const {
    if (open_ == 0 && call_start > last_end_) return false;
    for (uint64_t i = next_; i > First(); --i) {
      const Span& span = spans_[(i - 1) % kSpans];
      if (span.thread == thread && call_start >= span.begin && (span.open || call_start <= span.end)) return true;
    }
    return false;
  }

 private:
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t thread = 0;
    record::ApiDomain domain = record::ApiDomain::kRuntime;
    bool open = false;
  };

  uint64_t First() const { return next_ > kSpans ? next_ - kSpans : 0; }

  std::array<Span, kSpans> spans_{};
  uint64_t next_ = 0;  // counts up for ever; the ring holds the last kSpans
  uint32_t open_ = 0;
  uint64_t last_end_ = 0;
};

}  // namespace slowtoken::cupti
