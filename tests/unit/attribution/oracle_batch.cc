// Oracle: who is in which iteration. For each iteration the marks are gone through from the beginning.
#include <algorithm>

#include "oracle.h"

namespace slowtoken::attribution::testing {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::BatchRow;
using record::RowKind;
using record::RowOp;

namespace {

struct Mark {
  uint64_t iter = 0;
  TimeNs time = 0;
  std::optional<uint64_t> seq;
  bool is_set = false;
  std::vector<BatchRow> rows;
};

struct Membership {
  OracleBatch state = OracleBatch::kNone;
  std::map<record::RequestId, BatchRow> rows;
};

// A prefill row is a decode row of one token after its iteration.
void MoveTo(Membership* m, std::map<record::RequestId, uint64_t>* since, uint64_t iter) {
  for (auto& [req, row] : m->rows) {
    if (row.kind == RowKind::kPrefill && (*since)[req] < iter)
      row = {.req = req, .n_tok = 1, .kind = RowKind::kDecode, .op = RowOp::kSet};
  }
}

Membership At(const std::vector<Mark>& marks, uint64_t iter) {
  Membership m;
  std::map<record::RequestId, uint64_t> since;
  std::optional<uint64_t> seq;
  uint64_t last_iter = 0;
  bool lost = false;
  bool started = false;
  for (const Mark& mark : marks) {
    const bool gap = mark.seq && (seq ? *mark.seq != *seq + 1 : !started && *mark.seq > 1);
    // Between the last mark and the one that shows the loss nothing is sure, from the iteration after the last mark on.
    if (gap && iter > last_iter && started) lost = true;
    if (gap && !started && !mark.is_set) lost = true;
    started = true;
    if (mark.seq) seq = mark.seq;
    if (mark.iter > iter) break;
    last_iter = mark.iter;
    if (lost && !mark.is_set) continue;
    lost = false;
    MoveTo(&m, &since, mark.iter);
    if (mark.is_set) m.rows.clear();
    m.state = OracleBatch::kKnown;
    for (const BatchRow& row : mark.rows) {
      if (row.op == RowOp::kLeave) {
        m.rows.erase(row.req);
        continue;
      }
      m.rows[row.req] = {.req = row.req, .n_tok = row.n_tok, .kind = row.kind, .op = RowOp::kSet};
      since[row.req] = mark.iter;
    }
  }
  MoveTo(&m, &since, iter);
  if (lost) m = {OracleBatch::kLost, {}};
  return m;
}

}  // namespace

void Oracle::ReadBatches(const EventLog& log) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Mark>> groups;
  for (const LoggedEvent& event : log) {
    const auto* a = std::get_if<Annotation>(&event.event);
    if (a == nullptr || a->name != AnnotationName::kBatch) continue;
    Mark mark{a->iteration().iter, a->start, {}, a->batch_is_set, event.rows};
    if (a->Has(AnnotationField::kSeq)) mark.seq = a->Get(AnnotationField::kSeq);
    groups[{a->iteration().engine, a->iteration().dp_rank}].push_back(mark);
  }
  for (auto& [group, marks] : groups) {
    std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.time < b.time; });
  }
  for (auto& [key, iteration] : iterations_) {
    const auto& [engine, dp_rank, iter] = key;
    const auto marks = groups.find({engine, dp_rank});
    if (marks == groups.end()) continue;
    const Membership m = At(marks->second, iter);
    iteration.batch = m.state;
    if (!iteration.dummy()) iteration.rows = m.rows;
    for (const auto& [req, row] : iteration.rows) requests_.insert(req);
  }
}

}  // namespace slowtoken::attribution::testing
