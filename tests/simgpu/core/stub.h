// What every function of the real library that the stand-in does not model does: says its name once, answers
// NOT_SUPPORTED.
#pragma once

#include <atomic>
#include <cstdio>

#define SIMGPU_STUB(name)                                                                        \
  extern "C" __attribute__((visibility("default"))) int name() {                                 \
    static std::atomic<bool> told{false};                                                        \
    if (!told.exchange(true)) std::fprintf(stderr, "simgpu: %s is not modelled (801)\n", #name); \
    return 801;                                                                                  \
  }
