// ThreadPointer: a number that no other living thread of the process has, read in one instruction. Any thread. Another
// thread may have it after this one has ended.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace slowtoken::nvtx {

inline uint64_t ThreadPointer() {
#if defined(__x86_64__)
  uint64_t self;
  asm("movq %%fs:0, %0" : "=r"(self));  // the thread control block begins with its own address (x86-64 psABI, TLS)
  return self;
#elif defined(__aarch64__)
  uint64_t self;
  asm("mrs %0, tpidr_el0" : "=r"(self));
  return self;
#else
  return static_cast<uint64_t>(pthread_self());
#endif
}

}  // namespace slowtoken::nvtx
