#include "core/batch_diff.h"

#include <algorithm>
#include <iterator>

namespace slowtoken::demo {

std::vector<BatchChange> BatchDiff::Next(const std::vector<Row>& rows, TimeNs now) {
  const bool full = last_full_ == 0 || now - last_full_ >= kFullPeriod;
  std::vector<BatchChange> changes = full ? Full(rows) : Delta(rows);
  if (full) last_full_ = now;
  members_.clear();
  for (const Row& row : rows) {
    const bool decodes_next = row.kind == 'p';
    members_[row.request->id] = decodes_next ? Member{1, 'd'} : Member{row.n_tok, row.kind};
  }
  return changes;
}

std::vector<BatchChange> BatchDiff::Full(const std::vector<Row>& rows) const {
  std::vector<BatchChange> changes;
  for (const Row& row : rows) changes.push_back({BatchOp::kSet, row.request->id, row.n_tok, row.kind});
  return changes;
}

std::vector<BatchChange> BatchDiff::Delta(const std::vector<Row>& rows) const {
  std::vector<BatchChange> joins, leaves, changes;
  std::unordered_map<std::string, Member> left = members_;
  for (const Row& row : rows) {
    const auto member = left.find(row.request->id);
    if (member == left.end()) {
      joins.push_back({BatchOp::kJoin, row.request->id, row.n_tok, row.kind});
      continue;
    }
    if (member->second != Member{row.n_tok, row.kind})
      changes.push_back({BatchOp::kChange, row.request->id, row.n_tok, row.kind});
    left.erase(member);
  }
  for (const auto& [id, member] : left) leaves.push_back({BatchOp::kLeave, id, 0, member.kind});
  joins.insert(joins.end(), std::make_move_iterator(leaves.begin()), std::make_move_iterator(leaves.end()));
  joins.insert(joins.end(), std::make_move_iterator(changes.begin()), std::make_move_iterator(changes.end()));
  return joins;
}

}  // namespace slowtoken::demo
