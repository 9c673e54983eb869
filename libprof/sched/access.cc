#include "sched/access.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace slowtoken::sched {

bool HasSchedStat() {
  const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

unsigned DescriptorShare(unsigned most) {
  constexpr rlim_t kPart = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t share = limit.rlim_cur / kPart;
  return share < most ? static_cast<unsigned>(share) : most;
}

}  // namespace slowtoken::sched
