// Boundary: what every door of ours does around its work, so that nothing of ours shows in the host: errno is kept.
// Exceptions cannot cross: the library is built without them (gate: no __cxa_* symbol).
#pragma once

#include <errno.h>

#define SLOWTOKEN_EXPORT extern "C" __attribute__((visibility("default")))

namespace slowtoken::injection {

class KeepErrno {
 public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_;
};

}  // namespace slowtoken::injection
