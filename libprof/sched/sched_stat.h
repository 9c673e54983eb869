// SchedStat: /proc/self/task/TID/schedstat of one thread, kept open: how long it ran and how long it waited for a CPU,
// since it began. The kernel brings `ran` of a thread that is running up to date at its ticks only (1 to 10 ms), and
// counts a wait when it ends. Worker thread; one fstat and one pread a look.
#pragma once

#include <string_view>

#include "base/kept_descriptor.h"
#include "record/ids.h"

namespace slowtoken::sched {

struct SchedTotals {
  uint64_t ran_ns = 0;
  uint64_t waited_ns = 0;
  bool operator==(const SchedTotals&) const = default;
};

// "ran waited slices", the text of the file. False if it is something else.
bool ParseSchedTotals(std::string_view text, SchedTotals& totals);

class SchedStat {
 public:
  // 0 or an errno value: ENOENT where the thread is gone or the kernel has no such file.
  int Open(record::ThreadId thread);

  enum class Look : uint8_t { kRead, kGone, kFailed };
  // kGone: the thread has ended. A descriptor that is no longer ours is opened anew.
  Look Read(record::ThreadId thread, SchedTotals& totals);

  void Close() { file_.Close(); }

 private:
  base::KeptDescriptor file_;
};

}  // namespace slowtoken::sched
