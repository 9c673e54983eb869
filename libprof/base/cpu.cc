#include "base/cpu.h"

#include <atomic>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace slowtoken::base {

#if defined(__x86_64__)
// __builtin_cpu_supports would need libgcc's cpu model; libslowtoken.so links libc only, so CPUID is asked directly.
bool HasSse42() {
  static std::atomic<int> known{-1};  // constant-initialised: no guard
  int value = known.load(std::memory_order_relaxed);
  if (value < 0) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    value = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0 ? 1 : 0;
    known.store(value, std::memory_order_relaxed);
  }
  return value == 1;
}
#else
bool HasSse42() { return false; }
#endif

}  // namespace slowtoken::base
