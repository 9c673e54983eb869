#include "base/arena.h"

#include <sys/mman.h>

namespace slowtoken::base {

bool Arena::Reserve(size_t bytes, bool populate) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (populate ? MAP_POPULATE : MAP_NORESERVE);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(memory);
  capacity_ = bytes;
  used_ = faulted_ = 0;
  return true;
}

void Arena::Release() {
  if (base_ != nullptr) munmap(base_, capacity_);
  base_ = nullptr;
  capacity_ = used_ = faulted_ = 0;
}

void Arena::Prefault(size_t bytes) {
  constexpr size_t kPage = 4096;
  const size_t end = bytes < used_ - faulted_ ? faulted_ + bytes : used_;
  for (size_t at = faulted_ / kPage * kPage; at < end; at += kPage) {
    // Adds nothing, but as a write: the page becomes ours. Atomic, since its owner may be writing to it.
    __atomic_fetch_add(reinterpret_cast<unsigned char*>(base_ + at), 0, __ATOMIC_RELAXED);
  }
  faulted_ = end;
}

void* Arena::Allocate(size_t bytes, size_t align) {
  const size_t start = (used_ + align - 1) & ~(align - 1);
  if (start < used_ || start > capacity_ || bytes > capacity_ - start) return nullptr;
  used_ = start + bytes;
  return base_ + start;
}

}  // namespace slowtoken::base
