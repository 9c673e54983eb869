#include "capture/address_space.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

namespace slowtoken::capture {
namespace {

constexpr uint64_t kShare = 4;

struct Mapped {
  uint64_t all = 0;
  uint64_t data = 0;
};

// /proc/self/statm in pages: all mappings come first, private writable ones sixth.
bool ReadMapped(Mapped& mapped) {
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[128] = {};
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return false;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  char* at = text;
  mapped.all = strtoull(at, &at, 10) * page;
  for (int field = 1; field < 6; ++field) mapped.data = strtoull(at, &at, 10) * page;
  return true;
}

bool Fits(const rlimit& limit, uint64_t used, uint64_t bytes) {
  if (limit.rlim_cur == RLIM_INFINITY) return true;
  return limit.rlim_cur > used && (limit.rlim_cur - used) / kShare >= bytes;
}

}  // namespace

bool AddressSpaceAllows(uint64_t bytes) {
  rlimit all{RLIM_INFINITY, RLIM_INFINITY}, data{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_AS, &all);
  getrlimit(RLIMIT_DATA, &data);
  if (all.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY) return true;
  Mapped mapped;
  return ReadMapped(mapped) && Fits(all, mapped.all, bytes) && Fits(data, mapped.data, bytes);
}

}  // namespace slowtoken::capture
