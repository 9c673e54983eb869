#include "trace/chunk_builder.h"

#include <bit>
#include <cstring>

namespace slowtoken::trace {
namespace {

constexpr size_t kTextReserve = 64u << 10;  // of the text budget, for names in the live state

}  // namespace

bool ChunkBuilder::Init(base::Arena& arena, const record::Dictionary& dictionary, base::LossCounters& losses,
                        const EncoderLimits& limits) {
  dictionary_ = &dictionary;
  losses_ = &losses;
  text_bytes_cap_ = limits.text_bytes + kTextReserve;
  const uint32_t pages = limits.column_bytes / static_cast<uint32_t>(sizeof(ColumnStore::Page)) + kReservePages;
  lane_end = arena.AllocateArray<uint64_t>(limits.lanes + 1);
  requests_ = arena.AllocateArray<record::RequestId>(limits.requests);
  const bool ok = store.Init(arena, pages) && texts.Init(arena, limits.texts) && shapes.Init(arena, limits.shapes) &&
                  lanes.Init(arena, limits.lanes) && kernel_sites.Init(arena, limits.kernel_sites) &&
                  api_call_sites.Init(arena, limits.api_call_sites) && request_index_.Init(arena, limits.requests) &&
                  !lane_end.empty() && !requests_.empty();
  if (ok) Reset();
  return ok;
}

void ChunkBuilder::Reset() {
  store.Reset();
  columns = {};
  texts.Reset();
  shapes.Reset();
  lanes.Reset();
  kernel_sites.BeginChunk();
  api_call_sites.BeginChunk();
  kernel_rows.Reset();
  api_call_rows.Reset();
  last_api_call_end = 0;
  memset(lane_end.data(), 0, lane_end.size_bytes());
  if (request_count_ != 0) request_index_.Clear();
  request_count_ = 0;
  text_bytes_ = 0;
  text_bytes_limit_ = text_bytes_cap_ - kTextReserve;
}

void ChunkBuilder::WriteRows() {
  kernel_rows.Write(store, columns.kernels.columns);
  api_call_rows.Write(store, columns.api_calls.columns);
}

uint32_t ChunkBuilder::UseText(record::StringId id) {
  if (id == 0) return 0;
  if (const uint32_t position = texts.Find(id); position != 0) return position;
  const size_t size = dictionary_->text(id).size();
  if (size == 0) return 0;
  if (text_bytes_ + size > text_bytes_limit_) {
    losses_->Add(base::Loss::kEventTooLarge);
    return 0;
  }
  text_bytes_ += size;
  return texts.Add(id);
}

uint32_t ChunkBuilder::UseShape(record::ShapeId id) {
  if (id == 0) return 0;
  if (const uint32_t position = shapes.Find(id); position != 0) return position;
  const uint32_t position = shapes.Add(id);
  if (position != 0) AddRow(columns.shapes, dictionary_->shape(id));
  return position;
}

uint32_t ChunkBuilder::UseLane(record::LaneId id) {
  if (id == 0) return 0;
  if (const uint32_t position = lanes.Find(id); position != 0) return position;
  const uint32_t position = lanes.Add(id);
  if (position != 0) AddRow(columns.lanes, dictionary_->lane(id));
  return position;
}

uint32_t ChunkBuilder::UseRequest(record::RequestId id) {
  if (id == 0) return 0;
  uint32_t* position = request_index_.FindOrInsert(id);
  if (position == nullptr) {
    losses_->Add(base::Loss::kEventTooLarge);
    return 0;
  }
  if (*position == 0) {
    requests_[request_count_++] = id;
    *position = static_cast<uint32_t>(request_count_);
  }
  return *position;
}

void ChunkBuilder::AddRows(Column* count_column, std::span<const record::BatchRow> rows) {
  store.PutDelta(count_column[0], rows.size());
  for (const record::BatchRow& row : rows) {
    count_column[1].any |= 1;
    store.PutDelta(count_column[1], UseRequest(row.req));
    store.PutDelta(count_column[2], row.n_tok);
    store.PutDelta(count_column[3], ToWire(row.kind));
    store.PutDelta(count_column[4], ToWire(row.op));
  }
}

void ChunkBuilder::AddMasked(Column* mask_column, std::span<const uint64_t> values) {
  uint64_t mask = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    mask |= uint64_t{1} << i;
    store.Put(mask_column[1], ZigZag(values[i]));
  }
  store.PutDelta(mask_column[0], mask);
}

void ChunkBuilder::AddAnnotation(Batch<record::Annotation>& batch, const record::Annotation& event) {
  AddRow(batch, event);
  store.PutDelta(batch.At(kAnnotationName), ToWire(event.name));
  uint64_t flags = ToWire(event.kind);
  if (event.batch_is_set) flags |= kAnnotationBatchIsSet;
  if (!event.rows.empty()) flags |= kAnnotationHasRows;
  store.PutDelta(batch.At(kAnnotationFlags), flags);
  if (!event.rows.empty()) AddRows(&batch.At(kAnnotationRowCount), event.rows);
  for (uint32_t left = event.present; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    uint64_t value = event.values[i];
    if (record::kAnnotationFieldTypes[i] == record::FieldType::kRequest) value = UseRequest(value);
    if (record::kAnnotationFieldTypes[i] == record::FieldType::kText) value = UseText(static_cast<uint32_t>(value));
    store.PutDelta(batch.At(kAnnotationFirstValue + i), value);
  }
}

}  // namespace slowtoken::trace
