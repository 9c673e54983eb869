// Reading columns: Cursor walks one column of a parsed batch, Cursors all those of a batch, RowReader fills an event
// from them by its column table (trace/columns.h). Offline, header only; about 2 ns a value. Nothing here trusts the
// file: Cursors::Check makes sure that all columns are equally long before a row is read.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "google/protobuf/repeated_field.h"
#include "reader/chunk_tables.h"
#include "reader/wire_values.h"
#include "trace/columns.h"

namespace slowtoken::reader {

using Column = google::protobuf::RepeatedField<int64_t>;

class Cursor {
 public:
  void Bind(const Column& column) {
    next_ = column.data();
    size_ = static_cast<size_t>(column.size());
  }
  size_t size() const { return size_; }

  // The next coded value; 0 for every row of a column that was left out.
  uint64_t NextCode() { return size_ == 0 ? 0 : static_cast<uint64_t>(*next_++); }
  // The next value of a delta-coded column.
  uint64_t Next() { return value_ += NextCode(); }

 private:
  const int64_t* next_ = nullptr;
  size_t size_ = 0;
  uint64_t value_ = 0;
};

struct Cursors {
  std::array<Cursor, 47> at;  // [number - 1]
  size_t rows = 0;

  Cursor& operator[](unsigned number) { return at[number - 1]; }

  // Takes the number of rows from column `first`; false if any column has another length without being left out.
  bool Check(unsigned first = 1) {
    rows = (*this)[first].size();
    for (const Cursor& cursor : at) {
      if (cursor.size() != 0 && cursor.size() != rows) return false;
    }
    return true;
  }
};

class RowReader {
 public:
  RowReader(Cursors& cursors, const ChunkTables& tables) : cursors_(cursors), tables_(tables) {}

  template <unsigned kNumber, trace::Coding kCoding, typename T>
  void Do(T& member) {
    using trace::Coding;
    Cursor& cursor = cursors_[kNumber];
    if constexpr (kCoding == Coding::kAfter) {
      member = tables_.HostTime(first_time_ + cursor.NextCode());
    } else if constexpr (kCoding == Coding::kTime) {
      first_time_ = cursor.Next();
      member = tables_.HostTime(first_time_);
    } else if constexpr (kCoding == Coding::kText) {
      member = tables_.Text(cursor.Next());
    } else if constexpr (kCoding == Coding::kShape) {
      member = tables_.Shape(cursor.Next());
    } else if constexpr (kCoding == Coding::kLane) {
      member = tables_.Lane(cursor.Next());
    } else if constexpr (kCoding == Coding::kRequest) {
      member = tables_.Request(cursor.Next());
    } else {
      const uint64_t bits = cursor.Next();
      if constexpr (std::is_same_v<T, record::Metric>) known_ = IsKnown<T>(bits);
      member = FromWire<T>(bits);
    }
  }

  // False if the newest row is of a kind that only a later version knows: it is to be passed over.
  bool known() const { return known_; }

 private:
  Cursors& cursors_;
  const ChunkTables& tables_;
  uint64_t first_time_ = 0;
  bool known_ = true;
};

}  // namespace slowtoken::reader
