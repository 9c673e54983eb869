// The window between a stamp in the truth file and the range that slowtoken sees beside it, a few microseconds of cold
// code apart. Where the machine takes the CPU away just there (in a burst of arrivals, for the thread that was just
// woken; an interrupt; the hypervisor), the two lie apart and neither is wrong: such a window is a `jitter` line.
// What the code between costs is not judged by the truth file but by the benchmarks and tests/gates; so that a slow
// profiler cannot hide here, tests/e2e/attribution_vs_truth.py allows few such lines.
#pragma once

#include <string>

#include "core/clock.h"
#include "core/truth.h"

namespace slowtoken::demo {

class StampWindow {
 public:
  // Opens now; the calling thread's.
  explicit StampWindow(TruthFile& truth) : truth_(truth), start_(NowNs()) {}

  // Closes it; writes a line under `name` if it was open for kLong or more.
  void Close(const std::string& name) {
    const TimeNs end = NowNs();
    if (end - start_ >= kLong) truth_.Add(JitterJson({start_, end}, name, end - start_));
  }

 private:
  static constexpr TimeNs kLong = 50'000;  // two of them are what the tests allow a first token

  TruthFile& truth_;
  const TimeNs start_;
};

}  // namespace slowtoken::demo
