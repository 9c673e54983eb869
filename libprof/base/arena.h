// One block of memory with a hard cap, handed out once and never given back piecewise (host-safety rule 6).
// Made at start on the starting thread; afterwards only the worker (or an offline tool) allocates from it. Not thread
// safe. Allocate is a few instructions; it returns nullptr when the cap is reached, and the caller must live with that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

namespace slowtoken::base {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Reserves `bytes` of zeroed memory with mmap. With `populate` every page is touched now, so that no page fault
  // happens later on a host thread. Returns false if the system refuses.
  bool Reserve(size_t bytes, bool populate);

  // Gives the whole block back. Every pointer into it dies.
  void Release();

  // Faults in the next pages handed out so far, at most `bytes` of them, so that no host thread has to; false if that
  // was all. May run while other threads use the memory. About 0.5 µs a page where there are large ones, 10 µs and more
  // in a virtual machine that has none to give.
  bool Prefault(size_t bytes);

  // Forgets the block without giving it back: for a forked child, where something may still point into it.
  void Abandon() { base_ = nullptr, capacity_ = used_ = faulted_ = 0; }

  // `bytes` of zeroed memory aligned to `align` (a power of two), or nullptr when the cap would be passed.
  void* Allocate(size_t bytes, size_t align = 16);

  // `count` value-initialised objects; empty when they do not fit.
  template <typename T>
  std::span<T> AllocateArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    void* memory = Allocate(count * sizeof(T), alignof(T));
    if (memory == nullptr) return {};
    T* first = static_cast<T*>(memory);
    // Where zeroed memory is the value already, large tables stay untouched until used: a start must not fault them in
    // on the host's thread.
    if (!ZeroIsValue<T>()) {
      for (size_t i = 0; i < count; ++i) ::new (static_cast<void*>(first + i)) T{};
    }
    return {first, count};
  }

  // Zeroed room for `count` objects that the caller makes one by one when they are first used.
  template <typename T>
  std::span<T> AllocateRoom(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    void* memory = Allocate(count * sizeof(T), alignof(T));
    return memory == nullptr ? std::span<T>() : std::span<T>(static_cast<T*>(memory), count);
  }

  // One value-initialised object built from `args`, or nullptr.
  template <typename T, typename... Args>
  T* Make(Args&&... args) {
    void* memory = Allocate(sizeof(T), alignof(T));
    return memory == nullptr ? nullptr : ::new (memory) T(static_cast<Args&&>(args)...);
  }

  size_t used() const { return used_; }
  size_t capacity() const { return capacity_; }

 private:
  // True if a value-initialised T is all zero bytes.
  template <typename T>
  static bool ZeroIsValue() {
    if constexpr (std::is_trivially_default_constructible_v<T>) return true;
    alignas(T) unsigned char bytes[sizeof(T)] = {};
    ::new (static_cast<void*>(bytes)) T{};
    for (const volatile unsigned char* at = bytes; at != bytes + sizeof(T); ++at) {
      if (*at != 0) return false;
    }
    return true;
  }

  std::byte* base_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
  size_t faulted_ = 0;  // as far as Prefault has come
};

}  // namespace slowtoken::base
