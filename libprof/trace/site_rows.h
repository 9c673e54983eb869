// SiteRows: events at sites (kernels, API calls) on their way into the columns: their four codes are gathered here and
// written column by column, many at a time. Part of ChunkBuilder (worker thread). About 15 instructions an event to
// gather, 35 to write.
#pragma once

#include <cstring>

#include "trace/column_store.h"
#include "trace/columns.h"

namespace slowtoken::trace {

class SiteRows {
 public:
  static constexpr size_t kRows = 64;

  bool full() const { return count_ == kRows; }

  // The caller writes when it is full.
  void Add(uint64_t step, uint64_t gap, uint64_t duration_change, uint64_t correlation) {
    Stage(kSiteColumn, step);
    Stage(kGapColumn, gap);
    Stage(kDurationColumn, duration_change);
    Stage(kCorrelationColumn, correlation - last_correlation_);
    last_correlation_ = correlation;
    ++count_;
  }

  // Moves what was gathered to `columns`, those of the kind's batch; takes at most two pages a column.
  void Write(ColumnStore& store, Column* columns) {
    if (count_ == 0) return;
    columns[kSiteColumn - 1].any |= 1;  // it tells the number of rows, so it is written even if all its codes are 0
    for (size_t c = 0; c < kColumns; ++c) {
      store.Append(columns[c], {codes_[c], count_}, any_[c]);
      any_[c] = 0;
    }
    count_ = 0;
  }

  void Reset() {
    count_ = last_correlation_ = 0;
    memset(any_, 0, sizeof any_);
  }

 private:
  static constexpr size_t kColumns = 4;
  static_assert(kSiteColumn == 1 && kGapColumn == 2 && kDurationColumn == 3 && kCorrelationColumn == 4);

  void Stage(unsigned column, uint64_t difference) {
    const uint64_t code = ZigZag(difference);
    codes_[column - 1][count_] = code;
    any_[column - 1] |= code;
  }

  size_t count_ = 0;
  uint64_t last_correlation_ = 0;
  uint64_t any_[kColumns] = {};
  uint64_t codes_[kColumns][kRows];
};

}  // namespace slowtoken::trace
