#include "simgpu/core/clock.h"

#include <sys/prctl.h>
#include <time.h>

#include "simgpu/core/faults.h"

namespace simgpu {
namespace {

constexpr uint64_t kSpinNs = 40'000;

uint64_t Read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

// clock.step=NS@MS: from MS milliseconds after the first look on, stamps are off by NS.
int64_t StepFault(uint64_t monotonic_ns) {
  SimgpuFault fault{};
  if (!FaultPeek("clock.step", &fault)) return 0;
  static const uint64_t begin = monotonic_ns;
  const uint64_t after_ms = FaultFirstOccasion("clock.step");
  return monotonic_ns >= begin + (after_ms - 1) * 1'000'000u ? fault.value : 0;
}

// CLOCK_REALTIME minus CLOCK_MONOTONIC now.
uint64_t MeasureOffset() {
  const uint64_t before = Read(CLOCK_MONOTONIC);
  const uint64_t wall = Read(CLOCK_REALTIME);
  const uint64_t after = Read(CLOCK_MONOTONIC);
  return wall - (before + (after - before) / 2);
}

}  // namespace

uint64_t NowNs() { return Read(CLOCK_MONOTONIC); }

uint64_t WallNs(uint64_t monotonic_ns) {
  if (monotonic_ns == 0) return 0;
  // Once a process: two conversions of one stamp must agree, or durations would jitter by the bracketing error.
  static const uint64_t offset = MeasureOffset();
  const int64_t fault = FaultsActive() ? StepFault(monotonic_ns) : 0;
  return monotonic_ns + offset + static_cast<uint64_t>(fault);
}

void SleepUntil(uint64_t deadline_ns) {
  const uint64_t now = NowNs();
  if (deadline_ns > now + kSpinNs) {
    const int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1UL);
    const uint64_t wake = deadline_ns - kSpinNs;
    timespec until{static_cast<time_t>(wake / 1'000'000'000u), static_cast<long>(wake % 1'000'000'000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack > 0 ? slack : 50'000));
  }
  while (NowNs() < deadline_ns) __builtin_ia32_pause();
}

}  // namespace simgpu
