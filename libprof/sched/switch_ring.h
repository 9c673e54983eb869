// SwitchRing: a perf event that makes the kernel write down the context switches of one thread of this process, and the
// ring it writes to. Only the mapping is kept, no descriptor: the host cannot close it, a fork does not copy it
// (VM_DONTCOPY), exec ends it. Worker thread. Open costs some 50 µs, and a context switch of the thread costs the
// kernel more from then on (docs/HOST_SAFETY.md).
#pragma once

#include "record/ids.h"
#include "sched/ring_reader.h"

namespace slowtoken::sched {

class SwitchRing {
 public:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kLeastBytes = 32u << 10, kMostBytes = 128u << 10;

  SwitchRing() = default;
  SwitchRing(const SwitchRing&) = delete;
  SwitchRing& operator=(const SwitchRing&) = delete;

  // No errno value: a seccomp filter is there, which may kill whoever asks.
  static constexpr int kSeccompFilter = 4096;
  // Nor this: the thread is switched so often that its ring was given up.
  static constexpr int kTooManySwitches = 4097;

  // Begins with `bytes` of records, a power of two; closes what was open. 0, an errno value, or kSeccompFilter unless
  // `under_seccomp`: then the kernel is asked all the same.
  int Open(record::ThreadId thread, size_t bytes, bool under_seccomp);
  // Takes over what `other` has.
  void Take(SwitchRing& other);
  // Ends it and gives the memory back.
  void Close();
  // In a forked child, where the mapping does not exist.
  void Forget() { map_ = nullptr, map_bytes_ = 0; }

  bool is_open() const { return map_ != nullptr; }
  RingReader& reader() { return reader_; }
  // Memory of the kernel's that is mapped.
  size_t bytes() const { return map_bytes_; }

 private:
  void* map_ = nullptr;
  size_t map_bytes_ = 0;
  RingReader reader_;
};

}  // namespace slowtoken::sched
