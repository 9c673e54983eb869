#include "base/random.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/siphash.h"
#include "base/time.h"

namespace slowtoken::base {

void DrawRandom(void* out, size_t size) {
  if (getrandom(out, size, GRND_NONBLOCK) == static_cast<ssize_t>(size)) return;
  uint64_t word = MonotonicNow() ^ static_cast<uint64_t>(getpid()) << 32;
  for (size_t i = 0; i < size; ++i) {
    word = SipHash({word, ReadTsc()}, "slowtoken");
    static_cast<uint8_t*>(out)[i] = static_cast<uint8_t>(word);
  }
}

}  // namespace slowtoken::base
