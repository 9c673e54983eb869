#include "attribution/call_bursts.h"

#include <algorithm>

namespace slowtoken::attribution {

using record::EvidenceKind;

namespace {

// How long a thread may do something else between two calls of a burst. One that builds a graph prepares the next piece
// of it meanwhile; between two allocations there is no more than the loop around them.
uint64_t LongestPause(EvidenceKind kind) { return kind == EvidenceKind::kGraphBuild ? 2'000'000 : 10'000; }

// The burst with the call.
CallBurst Joined(const CallBurst& burst, TimeNs start, TimeNs end) {
  CallBurst joined = burst;
  joined.start = std::min(burst.start, start);
  joined.end = std::max(burst.end, end);
  // A driver's call inside a runtime's is there already, or counts for what it sticks out.
  if (start < burst.start) joined.busy_ns += std::min(end, burst.start) - start;
  if (end > burst.end) joined.busy_ns += end - std::max(start, burst.end);
  const bool around = start <= burst.last_start && end >= burst.last_end;
  const bool inside = start >= burst.last_start && end <= burst.last_end;
  if (!around && !inside) ++joined.calls;
  if (!inside) joined.last_start = start, joined.last_end = end;
  return joined;
}

// No longer pause lies between them.
bool Touch(const CallBurst& burst, TimeNs start, TimeNs end) {
  const uint64_t pause = LongestPause(burst.kind);
  return burst.calls != 0 && start <= burst.end + pause && end + pause >= burst.start;
}

// A burst is mostly calls; but all of a graph's building is building.
bool IsBurst(const CallBurst& joined) {
  return joined.kind == EvidenceKind::kGraphBuild || joined.busy_ns >= joined.length() / 2;
}

}  // namespace

const CallBurst& CallBursts::Add(uint64_t thread, EvidenceKind kind, TimeNs start, TimeNs end) {
  CallBurst& burst = Find(thread, kind);
  const CallBurst joined = Joined(burst, start, end);
  if (Touch(burst, start, end) && IsBurst(joined)) return burst = joined;
  return burst = {.thread = thread,
                  .kind = kind,
                  .start = start,
                  .end = end,
                  .busy_ns = end - start,
                  .calls = 1,
                  .last_start = start,
                  .last_end = end};
}

CallBurst& CallBursts::Find(uint64_t thread, EvidenceKind kind) {
  size_t at = 0;
  for (size_t i = 0; i < kOpen; ++i) {
    if (open_[i].thread == thread && open_[i].kind == kind) {
      at = i;
      break;
    }
    if (used_[i] < used_[at]) at = i;
  }
  used_[at] = ++adds_;
  CallBurst& burst = open_[at];
  if (burst.thread != thread || burst.kind != kind) burst = {.thread = thread, .kind = kind};
  return burst;
}

}  // namespace slowtoken::attribution
