// The two functions that the static C++ run time of Debian 12 takes from a libc newer than 2.34, so that the command
// starts on systems that have that one. The linker prefers these to libc's.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#include <cstddef>
#include <span>

namespace {

// An object that is mapped around an address, and its table of unwinding (PT_GNU_EH_FRAME).
struct Search {
  uintptr_t address;
  dl_find_object* result;
};

int LookInto(dl_phdr_info* object, size_t, void* data) {
  const Search& search = *static_cast<Search*>(data);
  bool holds = false;
  void* eh_frame = nullptr;
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) eh_frame = reinterpret_cast<void*>(begin);
    if (segment.p_type != PT_LOAD || search.address < begin || search.address >= begin + segment.p_memsz) continue;
    holds = true;
    search.result->dlfo_map_start = reinterpret_cast<void*>(begin);
    search.result->dlfo_map_end = reinterpret_cast<void*>(begin + segment.p_memsz);
  }
  if (!holds || eh_frame == nullptr) return 0;
  search.result->dlfo_eh_frame = eh_frame;
  return 1;
}

}  // namespace

// GLIBC_2.35; what the unwinder asks for the tables of a function when an exception passes it.
extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(void* address, dl_find_object* result) noexcept {
  *result = {};
  Search search{reinterpret_cast<uintptr_t>(address), result};
  return dl_iterate_phdr(LookInto, &search) == 1 ? 0 : -1;
}

// GLIBC_2.36; of std::random_device.
extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() noexcept {
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}
