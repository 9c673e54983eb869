// NVTX ranges and marks, annotations, and the clear texts of request ids.
#include "reader/bind_columns.h"
#include "reader/chunk_decoder.h"
#include "reader/decode_common.h"

namespace slowtoken::reader {
namespace {

// The value columns of a batch of annotations.
class AnnotationValues {
 public:
  explicit AnnotationValues(const v1::AnnotationBatch& batch) {
#define SLOWTOKEN_BIND_VALUE(field, column) \
  cursors_[static_cast<size_t>(record::AnnotationField::field)].Bind(batch.column());
    SLOWTOKEN_ANNOTATION_VALUE_COLUMNS(SLOWTOKEN_BIND_VALUE)
#undef SLOWTOKEN_BIND_VALUE
  }

  // False unless each column that is there has one value for each row whose `present` has its bit.
  bool Check(const Column& present) const {
    std::array<size_t, record::kAnnotationFieldCount> rows{};
    uint64_t bits = 0;
    for (const int64_t code : present) {
      bits += static_cast<uint64_t>(code);
      for (size_t i = 0; i < rows.size(); ++i) rows[i] += bits >> i & 1;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      if (cursors_[i].size() != 0 && cursors_[i].size() != rows[i]) return false;
    }
    return true;
  }

  void Next(record::Annotation& event, const ChunkTables& tables) {
    for (size_t i = 0; i < record::kAnnotationFieldCount; ++i) {
      if ((event.present >> i & 1) != 0) event.values[i] = Value(i, cursors_[i].Next(), tables);
    }
  }

 private:
  static uint64_t Value(size_t field, uint64_t bits, const ChunkTables& tables) {
    switch (record::kAnnotationFieldTypes[field]) {
      case record::FieldType::kRequest:
        return tables.Request(bits);
      case record::FieldType::kText:
        return tables.Text(bits);
      case record::FieldType::kWaitReason:
        return static_cast<uint64_t>(FromWire<record::WaitReason>(bits));
      case record::FieldType::kFinish:
        return static_cast<uint64_t>(FromWire<record::FinishReason>(bits));
      case record::FieldType::kNumber:
      case record::FieldType::kFlags:
        return bits;
    }
    return bits;
  }

  std::array<Cursor, record::kAnnotationFieldCount> cursors_;
};

constexpr uint32_t kKnownFields = (uint32_t{1} << record::kAnnotationFieldCount) - 1;

// How many rows of the batch have batch rows.
size_t RowsWithRows(const Column& flags) {
  size_t count = 0;
  uint64_t value = 0;
  for (const int64_t code : flags) {
    value += static_cast<uint64_t>(code);
    if ((value & trace::kAnnotationHasRows) != 0) ++count;
  }
  return count;
}

}  // namespace

void ChunkDecoder::Ranges(const v1::NvtxRangeBatch& batch, record::EventVisitor& out) {
  Cursors cursors;
  BindColumns(batch, cursors);
  FieldList fields;
  if (!cursors.Check() || !fields.Bind(batch)) return Problem("ranges");
  if (fields.count_rows() != 0 && fields.count_rows() != cursors.rows) return Problem("ranges");
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::NvtxRange event;
    trace::Columns<record::NvtxRange>::Each(event, reader);
    event.fields = fields.Next(tables_);
    event.process = tables_.process();
    out.On(event);
  }
}

void ChunkDecoder::Marks(const v1::NvtxMarkBatch& batch, record::EventVisitor& out) {
  Cursors cursors;
  BindColumns(batch, cursors);
  FieldList fields;
  if (!cursors.Check() || !fields.Bind(batch)) return Problem("marks");
  if (fields.count_rows() != 0 && fields.count_rows() != cursors.rows) return Problem("marks");
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::NvtxMark event;
    trace::Columns<record::NvtxMark>::Each(event, reader);
    event.fields = fields.Next(tables_);
    event.process = tables_.process();
    out.On(event);
  }
}

void ChunkDecoder::Annotations(const v1::AnnotationBatch& batch, record::EventVisitor& out) {
  Cursors cursors;
  BindColumns(batch, cursors);
  RowList rows;
  AnnotationValues values(batch);
  if (!cursors.Check() || !rows.Bind(batch) || !values.Check(batch.present())) return Problem("annotations");
  if (rows.count_rows() != 0 && rows.count_rows() != RowsWithRows(batch.flags())) return Problem("annotations");
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::Annotation event;
    trace::Columns<record::Annotation>::Each(event, reader);
    const uint64_t name = cursors[trace::kAnnotationName].Next();
    const uint64_t flags = cursors[trace::kAnnotationFlags].Next();
    event.name = FromWire<record::AnnotationName>(name);
    event.kind = FromWire<record::AnnotationKind>(flags & trace::kAnnotationKindMask);
    event.batch_is_set = (flags & trace::kAnnotationBatchIsSet) != 0;
    if ((flags & trace::kAnnotationHasRows) != 0) event.rows = rows.Next(tables_);
    event.present &= kKnownFields;
    values.Next(event, tables_);
    event.process = tables_.process();
    if (IsKnown<record::AnnotationName>(name)) out.On(event);
  }
}

void ChunkDecoder::RequestIdTexts(const v1::RequestIdTextBatch& batch, record::EventVisitor& out) {
  Cursors cursors;
  cursors[1].Bind(batch.req());
  cursors[2].Bind(batch.size());
  if (!cursors.Check()) return Problem("request id texts");
  std::string_view rest = batch.text();
  for (size_t i = 0; i < cursors.rows; ++i) {
    const record::RequestId req = tables_.Request(cursors[1].Next());
    const uint64_t size = cursors[2].Next();
    if (size > rest.size()) return Problem("request id texts");
    out.On(record::RequestIdText{req, rest.substr(0, static_cast<size_t>(size)), tables_.process()});
    rest.remove_prefix(static_cast<size_t>(size));
  }
}

}  // namespace slowtoken::reader
