// NestedList: the entries that belong to each row of a batch (payload fields, batch rows, histogram buckets): a count a
// row, and columns over all entries of the batch. Offline. Never reads more entries than the columns have.
#pragma once

#include "reader/column_cursor.h"

namespace slowtoken::reader {

class NestedList {
 public:
  // The count column: delta-coded like any other, `rows` long or left out.
  void BindCount(const Column& column) { counts_.Bind(column); }
  size_t count_rows() const { return counts_.size(); }

  // The columns of the entries, numbered from 1.
  Cursors entries;

  // False if the columns of the entries are of different length, or have more or less entries than the rows claim.
  bool Check(const Column& counts) {
    if (!entries.Check()) return false;
    uint64_t total = 0, value = 0;
    for (const int64_t code : counts) {
      value += static_cast<uint64_t>(code);
      if (value > entries.rows - total) return false;
      total += value;
    }
    return total == entries.rows;
  }

  // How many entries the next row has.
  size_t NextCount() { return static_cast<size_t>(counts_.Next()); }

 private:
  Cursor counts_;
};

}  // namespace slowtoken::reader
