// OwnWork: the iterations of one request that a TTFT or a gap is made of, and what both say about them in the same way.
// Made by RequestPass for one partition; views into the tables, valid during it.
#pragma once

#include <span>

#include "attribution/iteration.h"
#include "record/annotation.h"

namespace slowtoken::attribution {

struct OwnEntry {
  const Iteration* iteration = nullptr;
  record::RowKind kind = record::RowKind::kDecode;
};

struct OwnWork {
  std::span<const OwnEntry> entries;  // by start; up to the yielding iteration
  const Iteration* yield = nullptr;   // nullptr: not known
  bool has_gpu = false;               // any of them has GPU work
  TimeNs first_gpu = 0;               // earliest start of GPU work
  TimeNs last_gpu = 0;                // latest end of GPU work
  TimeNs first_forward = 0;           // earliest start of iter.forward
  TimeNs first_launch = 0;            // earliest launch
  TimeNs sample_end = 0;              // of the yielding iteration: GPU sampling, readback, iter.sample
  uint64_t device_mask = 0;

  const Iteration* first() const { return entries.empty() ? nullptr : entries.front().iteration; }
  const Iteration* last() const { return entries.empty() ? nullptr : entries.back().iteration; }
};

// Fills in everything but `entries` and `yield`, which are given.
void Summarise(const IntervalPool& intervals, OwnWork* own);

// Start and end of `sample`; end of `sample` is where `commit_wait` starts. Unknown: end 0.
Span SampleOf(const OwnWork& own);

// The time a request is charged to the GPU where there are no GPU records: from the first iter.forward to the yielding
// iter.sample (else the end of its iter.forward).
Span ForwardOf(const OwnWork& own);

// The commit of a token without req.token: the end of iter.update, else of iter. 0 = not known.
inline TimeNs CommitOf(const Iteration* yield) {
  if (yield == nullptr) return 0;
  return yield->update.known() ? yield->update.end : yield->iter.end;
}

}  // namespace slowtoken::attribution
