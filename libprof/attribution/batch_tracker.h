// BatchTracker: who is in which iteration, from `batch` marks (set, join, leave, change) in any order. A row that stays
// the same over many iterations is kept once, as a span of iterations. Used by attribution only; single threaded;
// bounded. Apply costs one hash probe a row, ForEachRow a look at each row of today's batch and each that ended since
// the iteration.
#pragma once

#include "attribution/iteration.h"
#include "base/flat_map.h"
#include "base/loss.h"
#include "record/annotation.h"

namespace slowtoken::attribution {

class BatchTracker {
 public:
  bool Init(base::Arena& arena, uint32_t groups, uint32_t spans, uint32_t marks, uint32_t mark_rows,
            base::LossCounters& losses);

  // Keeps a mark until ApplyUntil passes it.
  void Add(const record::Annotation& mark);

  // Whether Add has room for this mark and all its rows beside those that wait.
  bool HasRoomFor(const record::Annotation& mark) const {
    return mark_count_ < marks_.size() &&
           row_blocks_.capacity() - row_blocks_.in_use() >= (mark.rows.size() + kBlockRows - 1) / kBlockRows;
  }

  // Applies the marks set up to `settled`, in order.
  void ApplyUntil(TimeNs settled);

  // What is known about the batch of an iteration.
  enum class Knowledge : uint8_t {
    kNone,  // no mark has told about it
    kKnown,
    kLost,  // a mark was lost: membership is unknown until the next set
  };
  Knowledge Known(const record::IterationKey& key) const;

  // visit(const record::BatchRow&) for each row of the iteration, in any order; none unless known. A `p` row of an
  // earlier iteration is `d` with n_tok 1.
  template <typename Visit>
  void ForEachRow(const record::IterationKey& key, Visit visit) const {
    if (Known(key) != Knowledge::kKnown) return;
    const Group* group = groups_.Find(GroupId(key));
    for (PoolIndex i = group->open.head; i != 0; i = spans_[i].next) {
      if (spans_[i].from <= key.iter) visit(RowAt(spans_[i], key.iter));
    }
    for (PoolIndex i = group->ended.tail; i != 0 && spans_[i].reach > key.iter; i = spans_[i].prev) {
      const RowSpan& span = spans_[i];
      if (span.from <= key.iter && key.iter < span.to) visit(RowAt(span, key.iter));
    }
  }

  // The newest mark applied to a group.
  struct Newest {
    record::IterationKey key;
    TimeNs time = 0;
    uint64_t seq = 0;
    bool has_seq = false;
  };

  // visit(const Newest&) for each group whose membership is known now; its rows are those of `key`.
  template <typename Visit>
  void ForEachNewest(Visit visit) {
    groups_.ForEach([&](uint64_t id, const Group& group) {
      if (!group.started || group.lost || group.first_iter == kForever) return;
      visit(Newest{{group.last_iter, static_cast<uint32_t>(id >> 32), static_cast<uint32_t>(id)},
                   group.last_time,
                   group.last_seq,
                   group.has_seq});
    });
  }

  // Forgets rows that ended in marks set before `before`.
  void Prune(TimeNs before);

 private:
  struct RowSpan {
    record::BatchRow row;
    uint64_t from = 0;
    uint64_t to = kForever;  // the first iteration without it
    uint64_t reach = 0;      // ended: the greatest `to` of it and all that ended before it
    TimeNs closed = 0;       // time of the mark that ended it
    PoolIndex next = 0, prev = 0;
    uint32_t seen_in = 0;  // number of the last `set` that named it
  };
  struct Member {
    uint64_t group = 0;
    record::RequestId req = 0;
    bool operator==(const Member&) const = default;
    friend uint64_t HashKey(const Member& m) { return base::MixHash(m.req ^ base::MixHash(m.group)); }
  };
  struct List {
    PoolIndex head = 0, tail = 0;
  };
  struct Gap {
    uint64_t from = 0, to = 0;
  };
  struct Group {
    uint64_t id = 0;
    List open, ended;  // spans without end; the others, in the order in which they ended
    bool started = false;
    bool lost = false;
    bool has_seq = false;
    uint64_t first_iter = kForever, last_iter = 0, last_seq = 0;
    TimeNs last_time = 0;
    uint32_t sets = 0;
    std::array<Gap, 8> gaps{};  // iterations with unknown batch, the newest at gap_count % 8
    uint32_t gap_count = 0;
  };
  static constexpr size_t kBlockRows = 8;
  struct RowBlock {
    std::array<record::BatchRow, kBlockRows> rows{};
    PoolIndex next = 0;
    uint32_t count = 0;
  };
  struct Mark {
    record::IterationKey key;
    TimeNs time = 0;
    uint64_t seq = 0;
    bool has_seq = false;
    bool is_set = false;
    bool cut = false;  // rows did not fit: it counts as lost
    PoolIndex rows = 0;
  };

  static uint64_t GroupId(const record::IterationKey& key) { return uint64_t{key.engine} << 32 | key.dp_rank; }
  static record::BatchRow RowAt(const RowSpan& span, uint64_t iter);
  bool CopyRows(std::span<const record::BatchRow> rows, PoolIndex* head);
  void FreeRows(PoolIndex head);
  void Apply(const Mark& mark);
  // False when the mark must not be applied: seen before, or after a loss and not a set.
  bool Accept(Group& group, const Mark& mark);
  void Lose(Group& group, const Mark& mark, uint64_t from);
  // False when a row finds no room: the membership is then unknown.
  bool ApplyRows(Group& group, const Mark& mark);
  bool ApplyRow(Group& group, const Mark& mark, const record::BatchRow& row);
  bool Open(Group& group, const Mark& mark, const record::BatchRow& row);
  void Close(Group& group, PoolIndex span, uint64_t iter, TimeNs time);
  void CloseUnseen(Group& group, const Mark& mark);
  void Append(List& list, PoolIndex span);
  void Unlink(List& list, PoolIndex span);

  base::FlatMap<uint64_t, Group> groups_;
  base::FlatMap<Member, PoolIndex> open_;  // spans without end
  base::Pool<RowSpan> spans_;
  base::Pool<RowBlock> row_blocks_;
  std::span<Mark> marks_;
  size_t mark_count_ = 0;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::attribution
