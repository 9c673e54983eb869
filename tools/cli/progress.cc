#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace slowtoken::cli {

Progress::Progress(const reader::TraceSet& traces, const char* verb)
    : traces_(&traces),
      verb_(verb),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(base::MonotonicNow() + 1'000'000'000) {}

void Progress::On(const record::Advance&) {
  if (!terminal_) return;
  const base::TimeNs now = base::MonotonicNow();
  if (now < next_) return;
  next_ = now + 200'000'000;
  shown_ = true;
  const double share =
      static_cast<double>(traces_->bytes_read()) / static_cast<double>(std::max<uint64_t>(1, traces_->bytes_total()));
  std::fprintf(stderr, "\rslowtoken %s: %3.0f %% of %.1f MB", verb_, share * 100,
               static_cast<double>(traces_->bytes_total()) / 1e6);
}

void Progress::Clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace slowtoken::cli
