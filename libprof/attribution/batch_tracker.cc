#include "attribution/batch_tracker.h"

#include <algorithm>

namespace slowtoken::attribution {

using record::BatchRow;
using record::RowKind;
using record::RowOp;

bool BatchTracker::Init(base::Arena& arena, uint32_t groups, uint32_t spans, uint32_t marks, uint32_t mark_rows,
                        base::LossCounters& losses) {
  losses_ = &losses;
  marks_ = arena.AllocateArray<Mark>(marks);
  return !marks_.empty() && groups_.Init(arena, groups) && open_.Init(arena, spans) && spans_.Init(arena, spans) &&
         row_blocks_.Init(arena, mark_rows / 8 + 1);
}

void BatchTracker::Add(const record::Annotation& annotation) {
  if (!annotation.Has(record::AnnotationField::kIterNo)) return;
  if (mark_count_ == marks_.size()) {
    losses_->Add(base::Loss::kBatchUnknown);
    return;
  }
  Mark& mark = marks_[mark_count_++];
  mark = {.key = annotation.iteration(),
          .time = annotation.start,
          .seq = annotation.Get(record::AnnotationField::kSeq),
          .has_seq = annotation.Has(record::AnnotationField::kSeq),
          .is_set = annotation.batch_is_set};
  mark.cut = !CopyRows(annotation.rows, &mark.rows);
}

bool BatchTracker::CopyRows(std::span<const BatchRow> rows, PoolIndex* head) {
  PoolIndex* link = head;
  PoolIndex block = 0;
  for (const BatchRow& row : rows) {
    if (block == 0 || row_blocks_[block].count == row_blocks_[block].rows.size()) {
      block = row_blocks_.Take();
      if (block == 0) {
        FreeRows(*head);
        *head = 0;
        return false;
      }
      *link = block;
      link = &row_blocks_[block].next;
    }
    row_blocks_[block].rows[row_blocks_[block].count++] = row;
  }
  return true;
}

void BatchTracker::FreeRows(PoolIndex head) {
  while (head != 0) {
    const PoolIndex next = row_blocks_[head].next;
    row_blocks_.Give(head);
    head = next;
  }
}

void BatchTracker::ApplyUntil(TimeNs settled) {
  const auto ready = std::partition(marks_.begin(), marks_.begin() + static_cast<ptrdiff_t>(mark_count_),
                                    [&](const Mark& mark) { return mark.time > settled; });
  const auto end = marks_.begin() + static_cast<ptrdiff_t>(mark_count_);
  std::sort(ready, end, [](const Mark& a, const Mark& b) {
    if (a.time != b.time) return a.time < b.time;
    return a.seq != b.seq ? a.seq < b.seq : a.key.iter < b.key.iter;
  });
  for (auto mark = ready; mark != end; ++mark) {
    Apply(*mark);
    FreeRows(mark->rows);
  }
  mark_count_ = static_cast<size_t>(ready - marks_.begin());
}

void BatchTracker::Apply(const Mark& mark) {
  Group* group = groups_.FindOrInsert(GroupId(mark.key));
  if (group == nullptr) {
    losses_->Add(base::Loss::kBatchUnknown);
    return;
  }
  group->id = GroupId(mark.key);
  if (!Accept(*group, mark)) return;
  if (mark.is_set) ++group->sets;
  if (!ApplyRows(*group, mark)) return Lose(*group, mark, mark.key.iter);
  if (mark.is_set) CloseUnseen(*group, mark);
  group->first_iter = std::min(group->first_iter, mark.key.iter);
  group->last_iter = std::max(group->last_iter, mark.key.iter);
}

bool BatchTracker::ApplyRows(Group& group, const Mark& mark) {
  for (PoolIndex block = mark.rows; block != 0; block = row_blocks_[block].next) {
    for (uint32_t i = 0; i < row_blocks_[block].count; ++i) {
      if (!ApplyRow(group, mark, row_blocks_[block].rows[i])) return false;
    }
  }
  return true;
}

bool BatchTracker::Accept(Group& group, const Mark& mark) {
  if (group.has_seq && mark.has_seq && mark.seq <= group.last_seq && mark.time <= group.last_time) return false;
  const bool gap = mark.has_seq && (group.has_seq ? mark.seq != group.last_seq + 1 : !group.started && mark.seq > 1);
  const bool fresh = !group.started;
  group.started = true;
  if (mark.has_seq) {
    group.has_seq = true;
    group.last_seq = mark.seq;
  }
  group.last_time = std::max(group.last_time, mark.time);
  if (gap && !fresh && !group.lost) Lose(group, mark, group.last_iter + 1);
  if (gap && fresh && !mark.is_set) Lose(group, mark, 0);
  if (mark.cut) {
    if (!group.lost) Lose(group, mark, mark.key.iter);
    return false;
  }
  if (!group.lost) return true;
  if (!mark.is_set) return false;
  group.lost = false;
  group.gaps[(group.gap_count - 1) % group.gaps.size()].to = mark.key.iter;
  return true;
}

void BatchTracker::Lose(Group& group, const Mark& mark, uint64_t from) {
  group.lost = true;
  group.gaps[group.gap_count++ % group.gaps.size()] = {from, kForever};
  while (group.open.head != 0) Close(group, group.open.head, from, mark.time);
}

bool BatchTracker::ApplyRow(Group& group, const Mark& mark, const BatchRow& row) {
  const PoolIndex* found = open_.Find(Member{group.id, row.req});
  const PoolIndex span = found == nullptr ? 0 : *found;
  if (row.op == RowOp::kLeave) {
    if (span != 0) Close(group, span, mark.key.iter, mark.time);
    return true;
  }
  if (span != 0) {
    const BatchRow now = RowAt(spans_[span], mark.key.iter);
    if (now.kind == row.kind && now.n_tok == row.n_tok) {
      spans_[span].seen_in = group.sets;
      return true;
    }
    Close(group, span, mark.key.iter, mark.time);
  }
  return Open(group, mark, row);
}

BatchRow BatchTracker::RowAt(const RowSpan& span, uint64_t iter) {
  if (span.row.kind != RowKind::kPrefill || iter <= span.from) return span.row;
  return {.req = span.row.req, .n_tok = 1, .kind = RowKind::kDecode, .op = RowOp::kSet};
}

bool BatchTracker::Open(Group& group, const Mark& mark, const BatchRow& row) {
  const PoolIndex index = spans_.Take();
  if (index == 0) {
    losses_->Add(base::Loss::kBatchUnknown);
    return false;
  }
  RowSpan& span = spans_[index];
  span.row = {.req = row.req, .n_tok = row.n_tok, .kind = row.kind, .op = RowOp::kSet};
  span.from = mark.key.iter;
  span.seen_in = group.sets;
  Append(group.open, index);
  *open_.FindOrInsert(Member{group.id, row.req}) = index;
  return true;
}

void BatchTracker::Close(Group& group, PoolIndex index, uint64_t iter, TimeNs time) {
  RowSpan& span = spans_[index];
  open_.Erase(Member{group.id, span.row.req});
  Unlink(group.open, index);
  if (iter <= span.from) return spans_.Give(index);
  span.to = iter;
  span.closed = time;
  span.reach = group.ended.tail == 0 ? iter : std::max(iter, spans_[group.ended.tail].reach);
  Append(group.ended, index);
}

void BatchTracker::CloseUnseen(Group& group, const Mark& mark) {
  for (PoolIndex i = group.open.head; i != 0;) {
    const PoolIndex next = spans_[i].next;
    if (spans_[i].seen_in != group.sets) Close(group, i, mark.key.iter, mark.time);
    i = next;
  }
}

void BatchTracker::Append(List& list, PoolIndex index) {
  spans_[index].prev = list.tail;
  spans_[index].next = 0;
  (list.tail == 0 ? list.head : spans_[list.tail].next) = index;
  list.tail = index;
}

void BatchTracker::Unlink(List& list, PoolIndex index) {
  const PoolIndex next = spans_[index].next, prev = spans_[index].prev;
  (prev == 0 ? list.head : spans_[prev].next) = next;
  (next == 0 ? list.tail : spans_[next].prev) = prev;
}

BatchTracker::Knowledge BatchTracker::Known(const record::IterationKey& key) const {
  const Group* group = groups_.Find(GroupId(key));
  if (group == nullptr || !group->started) return Knowledge::kNone;
  const uint32_t kept = std::min<uint32_t>(group->gap_count, static_cast<uint32_t>(group->gaps.size()));
  for (uint32_t i = 0; i < kept; ++i) {
    if (group->gaps[i].from <= key.iter && key.iter < group->gaps[i].to) return Knowledge::kLost;
  }
  return key.iter < group->first_iter ? Knowledge::kNone : Knowledge::kKnown;
}

// Marks are applied in order of time, so that spans end in it too, but for marks that came late.
void BatchTracker::Prune(TimeNs before) {
  groups_.ForEach([&](uint64_t, Group& group) {
    while (group.ended.head != 0 && spans_[group.ended.head].closed < before) {
      const PoolIndex oldest = group.ended.head;
      Unlink(group.ended, oldest);
      spans_.Give(oldest);
    }
  });
}

}  // namespace slowtoken::attribution
