#include "virtual_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr uint64_t kALook = 25;                            // ns
constexpr uint64_t kRealtime = 1'764'000'000'000'000'000;  // what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC
uint64_t g_now = 1'000'000'000'000;

}  // namespace

namespace slowtoken::soak {

void MoveClockOn(uint64_t ns) { g_now += ns; }

}  // namespace slowtoken::soak

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME) {
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  }
  g_now += kALook;
  const uint64_t now = clock == CLOCK_REALTIME ? g_now + kRealtime : g_now;
  time->tv_sec = static_cast<time_t>(now / 1'000'000'000);
  time->tv_nsec = static_cast<long>(now % 1'000'000'000);
  return 0;
}

// The recorder asks the kernel which clock source it trusts (libprof/capture/clock_map.cc).
extern "C" int open(const char* path, int flags, ...) {
  if (strstr(path, "clocksource") != nullptr) {
    errno = ENOENT;
    return -1;
  }
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
