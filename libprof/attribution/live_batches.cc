#include "attribution/live_batches.h"

namespace slowtoken::attribution {

namespace {

constexpr uint32_t kGroups = 64;
constexpr uint32_t kMembers = 4096;
constexpr uint32_t kMarks = 64;  // between two looks; more are applied at once

}  // namespace

bool LiveBatches::Init(base::Arena& arena) {
  rows_ = arena.AllocateRoom<record::BatchRow>(kMembers);
  return !rows_.empty() && tracker_.Init(arena, kGroups, kMembers, kMarks, kMembers, not_ours_);
}

void LiveBatches::Add(const record::Annotation& mark) {
  if (!tracker_.HasRoomFor(mark)) {
    tracker_.ApplyUntil(kForever);
    tracker_.Prune(kForever);
  }
  tracker_.Add(mark);
}

void LiveBatches::Emit(record::EventVisitor& out) {
  tracker_.ApplyUntil(kForever);
  tracker_.Prune(kForever);
  tracker_.ForEachNewest([&](const BatchTracker::Newest& newest) {
    size_t count = 0;
    tracker_.ForEachRow(newest.key, [&](const record::BatchRow& row) {
      if (count < rows_.size()) rows_[count++] = row;
    });
    record::Annotation mark;
    mark.name = record::AnnotationName::kBatch;
    mark.batch_is_set = true;
    mark.start = mark.end = newest.time;
    mark.Set(record::AnnotationField::kIterNo, newest.key.iter);
    if (newest.key.engine != 0) mark.Set(record::AnnotationField::kEngine, newest.key.engine);
    if (newest.key.dp_rank != 0) mark.Set(record::AnnotationField::kDpRank, newest.key.dp_rank);
    if (newest.has_seq) mark.Set(record::AnnotationField::kSeq, newest.seq);
    mark.rows = rows_.first(count);
    out.On(mark);
  });
}

}  // namespace slowtoken::attribution
