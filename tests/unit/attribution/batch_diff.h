// BatchDiff: what a scheduler's `batch` mark says when it tells changes only: who joined, left or does something else
// than the rule (members stay, a prefill row decodes) would have it. Every twentieth time it is the whole batch.
#pragma once

#include <map>
#include <vector>

#include "scene.h"

namespace slowtoken::attribution::testing {

class BatchDiff {
 public:
  // Rows of the mark for a batch of `rows`. `is_set`, in: the whole batch is wanted; out: the rows are that.
  std::vector<record::BatchRow> Next(const std::vector<record::BatchRow>& rows, bool* is_set) {
    const std::map<record::RequestId, record::BatchRow> expected = Expected();
    members_.clear();
    for (const record::BatchRow& row : rows) members_[row.req] = row;
    *is_set = *is_set || ++since_set_ % 20 == 1;
    return *is_set ? rows : Changes(expected, rows);
  }

 private:
  std::map<record::RequestId, record::BatchRow> Expected() const {
    std::map<record::RequestId, record::BatchRow> next = members_;
    for (auto& [id, row] : next) {
      if (row.kind == record::RowKind::kPrefill) row = Row(id, 1, record::RowKind::kDecode);
    }
    return next;
  }
  std::vector<record::BatchRow> Changes(const std::map<record::RequestId, record::BatchRow>& expected,
                                        const std::vector<record::BatchRow>& rows) const {
    std::vector<record::BatchRow> changes;
    for (const auto& [id, row] : expected) {
      if (!members_.contains(id)) changes.push_back(Row(id, 0, record::RowKind::kDecode, record::RowOp::kLeave));
    }
    for (record::BatchRow row : rows) {
      const auto old = expected.find(row.req);
      if (old != expected.end() && old->second == row) continue;
      row.op = old == expected.end() ? record::RowOp::kJoin : record::RowOp::kChange;
      changes.push_back(row);
    }
    return changes;
  }

  std::map<record::RequestId, record::BatchRow> members_;
  int since_set_ = 0;
};

}  // namespace slowtoken::attribution::testing
