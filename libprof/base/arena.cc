#include "base/arena.h"

#include <errno.h>
#include <sys/mman.h>

namespace slowtoken::base {

namespace {

// Large pages where the system gives them on request: records and tables are spread over all of the memory, and with
// small ones a third of a record's cost is looking up where it is. Asked for by who touches the memory ahead and not at
// Reserve, so that no host thread has to have a large page cleared (0.1 ms).
void AskForLargePages(void* memory, size_t bytes) {
  const int error = errno;
  madvise(memory, bytes, MADV_HUGEPAGE);
  errno = error;
}

void Touch(std::byte* memory, size_t from, size_t to) {
  constexpr size_t kPage = 4096;
  for (size_t at = from / kPage * kPage; at < to; at += kPage) {
    // Adds nothing, but as a write: the page becomes ours. Atomic, since its owner may be writing to it.
    __atomic_fetch_add(reinterpret_cast<unsigned char*>(memory + at), 0, __ATOMIC_RELAXED);
  }
}

}  // namespace

bool Arena::Reserve(size_t bytes, bool populate) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(memory);
  capacity_ = bytes;
  used_ = faulted_ = 0;
  if (populate) {
    AskForLargePages(memory, bytes);
    Touch(base_, 0, bytes);
  }
  return true;
}

void Arena::Release() {
  if (base_ != nullptr) munmap(base_, capacity_);
  base_ = nullptr;
  capacity_ = used_ = faulted_ = 0;
}

bool Arena::Prefault(size_t bytes) {
  if (faulted_ == 0 && used_ != 0) AskForLargePages(base_, capacity_);
  const size_t end = bytes < used_ - faulted_ ? faulted_ + bytes : used_;
  Touch(base_, faulted_, end);
  faulted_ = end;
  return faulted_ < used_;
}

void* Arena::Allocate(size_t bytes, size_t align) {
  const size_t start = (used_ + align - 1) & ~(align - 1);
  if (start < used_ || start > capacity_ || bytes > capacity_ - start) return nullptr;
  used_ = start + bytes;
  return base_ + start;
}

}  // namespace slowtoken::base
