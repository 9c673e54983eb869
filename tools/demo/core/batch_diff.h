// What to tell a reader of `batch` events who knows the last iteration's membership: who joined, left or changed. Used
// by the engine's thread once an iteration. A reader turns a `p` row into `d` with one token by itself, so that needs
// no row.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/clock.h"
#include "core/scheduler.h"

namespace slowtoken::demo {

enum class BatchOp : uint8_t { kSet, kJoin, kLeave, kChange };

struct BatchChange {
  BatchOp op;
  std::string id;
  int64_t n_tok;
  char kind;
  bool operator==(const BatchChange&) const = default;
};

class BatchDiff {
 public:
  // The whole batch is told again after this long (attribution: at least once a second).
  static constexpr TimeNs kFullPeriod = 500'000'000;

  // The rows to send for this iteration, grouped by operation; empty if the reader's picture is right already.
  std::vector<BatchChange> Next(const std::vector<Row>& rows, TimeNs now);

 private:
  struct Member {
    int64_t n_tok;
    char kind;
    bool operator==(const Member&) const = default;
  };

  std::vector<BatchChange> Full(const std::vector<Row>& rows) const;
  std::vector<BatchChange> Delta(const std::vector<Row>& rows) const;

  std::unordered_map<std::string, Member> members_;  // as the reader sees them after the last iteration
  TimeNs last_full_ = 0;
};

}  // namespace slowtoken::demo
