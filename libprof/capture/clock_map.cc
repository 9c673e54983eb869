#include "capture/clock_map.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace slowtoken::capture {
namespace {

constexpr int kTries = 5;

bool CpuHasInvariantTsc() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx >> 8 & 1) != 0;
#elif defined(__aarch64__)
  return true;  // cntvct_el0 counts at a fixed frequency by architecture
#else
  return false;
#endif
}

bool KernelTrustsTsc() {
#if defined(__x86_64__)
  const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[16] = {};
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  return n >= 3 && memcmp(text, "tsc", 3) == 0;
#else
  return true;
#endif
}

// 0 = not decided yet, 1 = usable, 2 = not.
std::atomic<int> g_tsc_state{0};

// More time on the clock that goes on in suspend than on the one that stands still. Both are read within microseconds.
bool Suspended(const record::ClockSnapshot& before, const record::ClockSnapshot& after) {
  constexpr int64_t kLeast = 10'000'000;
  if (before.boottime == 0 || after.boottime == 0) return false;
  return static_cast<int64_t>((after.boottime - before.boottime) - (after.monotonic - before.monotonic)) > kLeast;
}

uint64_t Distance(uint64_t a, uint64_t b) {
  const auto d = static_cast<int64_t>(a - b);
  return static_cast<uint64_t>(d < 0 ? -d : d);
}

struct Reading {
  record::ClockSnapshot snapshot;
  uint64_t bracket = UINT64_MAX;
};

Reading ReadOnce(uint32_t (*cupti_now)(uint64_t*)) {
  Reading r;
  const base::TimeNs before = base::MonotonicNow();
  r.snapshot.tsc = RawStamp();
  r.snapshot.realtime = base::RealtimeNow();
  if (cupti_now != nullptr && cupti_now(&r.snapshot.cupti) != 0) r.snapshot.cupti = 0;
  const base::TimeNs after = base::MonotonicNow();
  r.bracket = after - before;
  r.snapshot.monotonic = before + r.bracket / 2;
  r.snapshot.uncertainty_ns = static_cast<uint32_t>(r.bracket / 2 < UINT32_MAX ? r.bracket / 2 : UINT32_MAX);
  r.snapshot.boottime = base::BoottimeNow();
  return r;
}

}  // namespace

record::ClockSnapshot ClockMap::Take(uint32_t (*cupti_now)(uint64_t*)) {
  Reading best = ReadOnce(cupti_now);
  for (int i = 1; i < kTries; ++i) {
    const Reading next = ReadOnce(cupti_now);
    if (next.bracket < best.bracket) best = next;
  }
  return best.snapshot;
}

bool ClockMap::TscUsable() {
  int state = g_tsc_state.load(std::memory_order_relaxed);
  if (state == 0) {
    state = CpuHasInvariantTsc() && KernelTrustsTsc() ? 1 : 2;
    g_tsc_state.store(state, std::memory_order_relaxed);
  }
  return state == 1;
}

uint64_t RawStamp() {
  return g_tsc_state.load(std::memory_order_relaxed) == 1 ? base::ReadTsc() : base::MonotonicNow();
}

void ClockMap::AddSnapshot(const record::ClockSnapshot& snapshot) {
  if (count_ == 0) {
    first_ = snapshot;
  } else if (Suspended(latest(), snapshot)) {
    rate_before_gap_ = Rate();
    before_gap_ = latest();
    first_ = snapshot;
  }
  snapshots_[count_ % kKept] = snapshot;
  ++count_;
}

// Long double keeps 64 bits of mantissa: an uptime of years stays exact to the nanosecond near the newest snapshot,
// from which the distance is measured.
long double ClockMap::Rate() const {
  const record::ClockSnapshot& last = latest();
  if (last.tsc == first_.tsc) return rate_before_gap_;
  return static_cast<long double>(last.monotonic - first_.monotonic) / static_cast<long double>(last.tsc - first_.tsc);
}

record::TimeNs ClockMap::FromAnchor(const record::ClockSnapshot& anchor, uint64_t tsc) const {
  const auto ticks = static_cast<int64_t>(tsc - anchor.tsc);
  return anchor.monotonic + static_cast<int64_t>(static_cast<long double>(ticks) * Rate());
}

record::TimeNs ClockMap::FromTsc(uint64_t tsc) const {
  if (count_ == 0 || tsc == 0) return 0;
  if (!TscUsable()) return tsc;
  // A stamp of before the gap is nearer to its own line, wherever the TSC went meanwhile.
  const bool gap = before_gap_.tsc != 0 && Distance(tsc, before_gap_.tsc) < Distance(tsc, first_.tsc);
  return FromAnchor(__builtin_expect(gap, 0) ? before_gap_ : latest(), tsc);
}

uint64_t ClockMap::Length(uint64_t stamps) const {
  if (!TscUsable()) return stamps;
  return static_cast<uint64_t>(static_cast<long double>(stamps) * Rate());
}

ClockMap::CuptiSpan ClockMap::SpanOf(uint64_t cupti_ns) const {
  if (count_ == 0) return {cupti_ns, cupti_ns, 0 - cupti_ns};
  const uint64_t kept = count_ < kKept ? count_ : kKept;
  uint64_t end = UINT64_MAX;  // no newer snapshot applies below
  for (uint64_t back = 1;; ++back) {
    const record::ClockSnapshot& s = snapshots_[(count_ - back) % kKept];
    const uint64_t anchor = CuptiClock(s);
    if (anchor <= cupti_ns || back == kept) return {back == kept ? 0 : anchor, end, s.monotonic - anchor};
    if (anchor < end) end = anchor;
  }
}

}  // namespace slowtoken::capture
