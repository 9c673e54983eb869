#include "sched/switch_ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/seccomp_filter.h"

namespace slowtoken::sched {
namespace {

// An event that counts nothing and brings the switches of one thread: allowed to everybody for threads of his own up to
// perf_event_paranoid 2, since it leaves out the kernel.
perf_event_attr Attributes() {
  perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.context_switch = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return attributes;
}

}  // namespace

int SwitchRing::Open(record::ThreadId thread, size_t bytes, bool under_seccomp) {
  Close();
  if (!under_seccomp && capture::UnderSeccompFilter()) return kSeccompFilter;
  perf_event_attr attributes = Attributes();
  const long fd = syscall(SYS_perf_event_open, &attributes, static_cast<pid_t>(thread), -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  void* map = mmap(nullptr, kPage + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(fd), 0);
  const int error = errno;
  close(static_cast<int>(fd));  // the mapping keeps the event
  if (map == MAP_FAILED) return error;
  map_ = map;
  map_bytes_ = kPage + bytes;
  reader_ = RingReader(*static_cast<perf_event_mmap_page*>(map), {static_cast<std::byte*>(map) + kPage, bytes});
  return 0;
}

void SwitchRing::Take(SwitchRing& other) {
  Close();
  map_ = other.map_;
  map_bytes_ = other.map_bytes_;
  reader_ = other.reader_;
  other.Forget();
}

void SwitchRing::Close() {
  if (map_ != nullptr) munmap(map_, map_bytes_);
  Forget();
}

}  // namespace slowtoken::sched
