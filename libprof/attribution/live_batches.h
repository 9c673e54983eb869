// LiveBatches: who is in the batch now, after every `batch` mark delivered so far: what the head of a chunk says, so
// that the chunk can be read without those before it. A BatchTracker that does not wait until marks are settled. Owned
// by capture/pipeline, worker thread; about 1 µs a mark, and a walk over the members for each chunk.
#pragma once

#include "attribution/batch_tracker.h"
#include "record/visitor.h"

namespace slowtoken::attribution {

class LiveBatches {
 public:
  // About 700 KB of the arena.
  bool Init(base::Arena& arena);

  // A `batch` mark.
  void Add(const record::Annotation& mark);

  // Whether a row of the iteration satisfies `wanted`, by the marks so far; kUnknown where they do not tell its batch.
  enum class Answer : uint8_t { kUnknown, kNo, kYes };
  template <typename Wanted>
  Answer AnyRow(const record::IterationKey& key, Wanted wanted) {
    tracker_.ApplyUntil(kForever);
    if (tracker_.Known(key) != BatchTracker::Knowledge::kKnown) return Answer::kUnknown;
    Answer answer = Answer::kNo;
    tracker_.ForEachRow(key, [&](const record::BatchRow& row) {
      if (wanted(row)) answer = Answer::kYes;
    });
    return answer;
  }

  // One `batch` mark with batch_is_set for each (engine, dp_rank) whose membership is known: the rows of the newest
  // iteration that a mark spoke of, with that mark's time and seq. After a lost mark nothing until the next set.
  void Emit(record::EventVisitor& out);

 private:
  BatchTracker tracker_;
  base::LossCounters not_ours_;  // the engine counts what the same marks cost it
  std::span<record::BatchRow> rows_;
};

}  // namespace slowtoken::attribution
