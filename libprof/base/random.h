// DrawRandom: random bytes for ids and keys, without waiting. Any thread; one system call.
#pragma once

#include <cstddef>

namespace slowtoken::base {

// Fills `out`. Where the kernel has no randomness yet, the bytes come from clocks: good for an id, but no secret.
void DrawRandom(void* out, size_t size);

template <typename Number>
Number RandomNumber() {
  Number number = 0;
  DrawRandom(&number, sizeof number);
  return number;
}

}  // namespace slowtoken::base
