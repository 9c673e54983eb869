#include "sched/sched_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>

#include "capture/task_file.h"

namespace slowtoken::sched {

bool ParseSchedTotals(std::string_view text, SchedTotals& totals) {
  const char* end = text.data() + text.size();
  const auto ran = std::from_chars(text.data(), end, totals.ran_ns);
  if (ran.ec != std::errc() || ran.ptr == end || *ran.ptr != ' ') return false;
  return std::from_chars(ran.ptr + 1, end, totals.waited_ns).ec == std::errc();
}

int SchedStat::Open(record::ThreadId thread) {
  capture::TaskPath path;
  capture::MakeTaskPath(thread, "schedstat", path);
  return file_.Open(path, O_RDONLY);
}

// The host may have closed our descriptor. A file opened anew may be another thread's with the same id; its totals are
// smaller, which the caller notices.
SchedStat::Look SchedStat::Read(record::ThreadId thread, SchedTotals& totals) {
  if (!file_.Ours()) {
    const int error = Open(thread);
    if (error != 0) return error == ENOENT || error == ESRCH ? Look::kGone : Look::kFailed;
  }
  char text[96];
  const ssize_t n = pread(file_.get(), text, sizeof text, 0);
  if (n <= 0) return n < 0 && errno == ESRCH ? Look::kGone : Look::kFailed;
  return ParseSchedTotals({text, static_cast<size_t>(n)}, totals) ? Look::kRead : Look::kFailed;
}

}  // namespace slowtoken::sched
