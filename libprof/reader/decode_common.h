// Shared by the decode_*.cc files: reading nested lists of entries. Offline, header only.
#pragma once

#include <vector>

#include "reader/nested_list.h"

namespace slowtoken::reader {

// Batch rows of an annotation or iteration summary.
class RowList {
 public:
  template <typename Batch>
  bool Bind(const Batch& batch) {
    list_.BindCount(batch.row_count());
    list_.entries[1].Bind(batch.row_req());
    list_.entries[2].Bind(batch.row_tokens());
    list_.entries[3].Bind(batch.row_kind());
    list_.entries[4].Bind(batch.row_op());
    return list_.Check(batch.row_count());
  }
  size_t count_rows() const { return list_.count_rows(); }

  // The rows of the next event; valid until the next call.
  std::span<const record::BatchRow> Next(const ChunkTables& tables) {
    rows_.resize(list_.NextCount());
    for (record::BatchRow& row : rows_) {
      row.req = tables.Request(list_.entries[1].Next());
      row.n_tok = static_cast<uint32_t>(list_.entries[2].Next());
      row.kind = FromWire<record::RowKind>(list_.entries[3].Next());
      row.op = FromWire<record::RowOp>(list_.entries[4].Next());
    }
    return rows_;
  }

 private:
  NestedList list_;
  std::vector<record::BatchRow> rows_;
};

// Payload fields of an NVTX range or mark.
class FieldList {
 public:
  template <typename Batch>
  bool Bind(const Batch& batch) {
    list_.BindCount(batch.field_count());
    list_.entries[1].Bind(batch.field_type());
    list_.entries[2].Bind(batch.field_name());
    list_.entries[3].Bind(batch.field_bits());
    return list_.Check(batch.field_count());
  }
  size_t count_rows() const { return list_.count_rows(); }

  std::span<const record::PayloadField> Next(const ChunkTables& tables) {
    fields_.resize(list_.NextCount());
    for (record::PayloadField& field : fields_) {
      const uint64_t type = list_.entries[1].Next();
      field.type = FromWire<record::PayloadType>(type);
      field.name = tables.Text(list_.entries[2].Next());
      const uint64_t bits = list_.entries[3].Next();
      field.bits = field.type == record::PayloadType::kText ? tables.Text(bits) : bits;
    }
    return fields_;
  }

 private:
  NestedList list_;
  std::vector<record::PayloadField> fields_;
};

// The elements of a fixed array that are not 0: mask column and values column.
class MaskedArray {
 public:
  // False unless there are just as many values as the masks have bits within `most`, and a mask a row (or none at all).
  bool Bind(const Column& masks, const Column& values, size_t rows, size_t most) {
    masks_.Bind(masks);
    values_.Bind(values);
    if (masks.size() != 0 && static_cast<size_t>(masks.size()) != rows) return false;
    size_t total = 0;
    uint64_t mask = 0;
    for (const int64_t code : masks) {
      mask += static_cast<uint64_t>(code);
      if (mask >> most != 0) return false;
      total += static_cast<size_t>(__builtin_popcountll(mask));
    }
    return total == static_cast<size_t>(values.size());
  }

  void Next(std::span<uint64_t> array) {
    const uint64_t mask = masks_.Next();
    for (size_t i = 0; i < array.size(); ++i) array[i] = (mask >> i & 1) != 0 ? values_.NextCode() : 0;
  }

 private:
  Cursor masks_;
  Cursor values_;
};

}  // namespace slowtoken::reader
