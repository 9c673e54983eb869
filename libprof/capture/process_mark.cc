#include "capture/process_mark.h"

#include <sys/mman.h>

namespace slowtoken::capture {

bool ProcessMark::Init(base::Arena& arena) {
  constexpr size_t kPage = 4096;
  void* page = arena.Allocate(kPage, kPage);
  if (page == nullptr) return false;
  madvise(page, kPage, MADV_WIPEONFORK);  // before Linux 4.14 refused: only libc's fork is noticed then
  page_ = static_cast<volatile uint32_t*>(page);
  *page_ = 1;
  return true;
}

}  // namespace slowtoken::capture
