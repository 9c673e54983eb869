// IterationPass: takes in iteration ranges, and seals iterations about which nothing more is expected: their GPU work
// is summed up, their rows are bound, each request in them gets its share, and the IterationSummary goes out. Run by
// Engine at each Advance, before RequestPass; single threaded. Sealing costs a sort of the iteration's intervals and
// one probe per row.
#pragma once

#include "attribution/batch_tracker.h"
#include "attribution/config.h"
#include "attribution/iteration_habits.h"
#include "attribution/iteration_table.h"
#include "attribution/metrics.h"
#include "attribution/request_table.h"
#include "attribution/thread_ranges.h"
#include "record/visitor.h"

namespace slowtoken::attribution {

class IterationPass {
 public:
  struct Parts {
    IterationTable* iterations = nullptr;
    IntervalPool* intervals = nullptr;
    ThreadRanges* ranges = nullptr;
    BatchTracker* batches = nullptr;
    RequestTable* requests = nullptr;
    IterationHabits* habits = nullptr;
    Metrics* metrics = nullptr;
    base::LossCounters* losses = nullptr;
    record::EventVisitor* out = nullptr;
  };
  bool Init(base::Arena& arena, const EngineConfig& config, const Parts& parts);

  // An iter or iter.* range, complete or still open.
  void Add(const record::Annotation& range);

  // Gives ranges without a key of their own to the iteration around them.
  void ResolveRanges(TimeNs settled);

  // Seals what is ready at `watermark` (kForever: everything), in order of end.
  void Seal(TimeNs watermark);

  // Whether an iteration that started before `end` and is not sealed has this request in its batch.
  bool HasUnsealed(record::RequestId request, TimeNs end) const;

  // Whether any iteration was ever seen.
  bool saw_iteration() const { return saw_iteration_; }

 private:
  static constexpr uint32_t kMostRows = 8192;
  struct Ready {
    TimeNs end = 0;
    PoolIndex index = 0;
  };
  void Apply(const record::IterationKey& key, const IterationRange& range);
  void ApplyFields(const record::Annotation& range);
  bool IsReady(const Iteration& iteration, TimeNs watermark) const;
  void SealOne(PoolIndex index, bool partial);
  size_t BindRows(Iteration& iteration);
  void ShareOut(PoolIndex index, size_t rows);
  void Emit(const Iteration& iteration, size_t rows);

  Parts parts_;
  uint64_t settle_ns_ = 0, deadline_ns_ = 0;
  bool single_process_ = true;
  bool saw_iteration_ = false;
  bool saw_iter_ = false;  // the `iter` range itself
  TimeNs watermark_ = 0;
  std::span<PoolIndex> keyless_;  // ranges that wait for the key of the range around them
  size_t keyless_count_ = 0;
  std::span<Ready> ready_;
  std::span<record::BatchRow> rows_;
};

}  // namespace slowtoken::attribution
