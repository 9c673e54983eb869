#include "sched/access.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

namespace slowtoken::sched {

bool UnderSeccompFilter() {
  char text[4096];
  const int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  const char* line = strstr(text, "\nSeccomp:");
  if (line == nullptr) return false;  // a kernel without seccomp
  return line[strspn(line, "\nSecomp:\t ")] != '0';
}

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
