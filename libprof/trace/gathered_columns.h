// GatheredColumns: rows on their way into neighbouring columns of a batch: what each value differs by from the one in
// the row before is gathered here and written column by column, many rows at a time. Part of SiteRows (worker thread).
// Two instructions a value to gather, one to nine to write.
#pragma once

#include "trace/column_store.h"

namespace slowtoken::trace {

template <size_t kColumns>
class GatheredColumns {
 public:
  static constexpr size_t kRows = 64;
  static_assert(kRows * kMaxVarint <= ColumnStore::kPageData);

  size_t room() const { return kRows - count_; }

  // Where column 0 of the next row goes; column c of row r behind it is at [c * kRows + r]. Taken with Take.
  uint64_t* next() { return differences_[0] + count_; }
  void Take(size_t rows) { count_ += rows; }

  // Moves what was gathered to `columns`; takes at most two pages a column. The first column tells the number of rows:
  // it is written even if all its codes are 0.
  void Write(ColumnStore& store, Column* columns) {
    if (count_ == 0) return;
    columns[0].any |= 1;
    for (size_t c = 0; c < kColumns; ++c) {
      uint8_t bytes[DifferencesRoom(kRows)];
      const WrittenDifferences written = WriteDifferences(bytes, {differences_[c], count_});
      store.Append(columns[c], {bytes, written.bytes}, written.any);
    }
    count_ = 0;
  }

  void Reset() { count_ = 0; }

 private:
  size_t count_ = 0;
  uint64_t differences_[kColumns][kRows];
};

}  // namespace slowtoken::trace
