// ChunkBuilder: the content of one chunk while it grows: columns, and the tables that its events point into. Part of
// ChunkEncoder (worker thread), which asks HasRoom before each event and seals the chunk when there is none. Adding a
// row of a cold kind costs about 15 instructions a column.
#pragma once

#include <type_traits>

#include "base/flat_map.h"
#include "record/dictionary.h"
#include "trace/chunk_columns.h"
#include "trace/encoder_limits.h"
#include "trace/local_ids.h"
#include "trace/site_rows.h"
#include "trace/site_table.h"

namespace slowtoken::trace {

// The 64 bits a value is coded as: enumerations and bool as their number, signed integers sign-extended.
template <typename T>
constexpr uint64_t ToWire(T value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<uint64_t>(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  } else {
    return static_cast<uint64_t>(value);
  }
}

class ChunkBuilder {
 public:
  bool Init(base::Arena& arena, const record::Dictionary& dictionary, base::LossCounters& losses,
            const EncoderLimits& limits);

  // Empties the chunk.
  void Reset();

  // True if an event with so many values in nested lists, bytes of new texts and new requests fits for sure.
  bool HasRoom(size_t values, size_t text_bytes, size_t requests) const {
    return store.free_pages() >= kReservePages + values * kMaxVarint / kLeastPageData &&
           text_bytes_ + text_bytes <= text_bytes_limit_ && request_count_ + requests <= requests_.size();
  }

  // True if an event without nested lists, new texts or new requests fits.
  bool HasPages() const { return store.free_pages() >= kReservePages; }

  // Bytes that `id` would add to the chunk's texts.
  size_t NewTextBytes(record::StringId id) const { return texts.Find(id) != 0 ? 0 : dictionary_->text(id).size(); }

  // Bytes of new texts that naming `shape` would add.
  size_t NewShapeTextBytes(record::ShapeId id) const {
    return shapes.Find(id) != 0 ? 0 : NewTextBytes(dictionary_->shape(id).name);
  }

  // The position of an id in this chunk's tables, adding it if need be; 0 for none, and for what cannot be kept.
  uint32_t UseText(record::StringId id);
  uint32_t UseShape(record::ShapeId id);
  uint32_t UseLane(record::LaneId id);
  uint32_t UseRequest(record::RequestId id);

  template <Coding kCoding>
  uint32_t Use(uint64_t id) {
    if constexpr (kCoding == Coding::kText) return UseText(static_cast<record::StringId>(id));
    if constexpr (kCoding == Coding::kShape) return UseShape(static_cast<record::ShapeId>(id));
    if constexpr (kCoding == Coding::kLane) return UseLane(static_cast<record::LaneId>(id));
    if constexpr (kCoding == Coding::kRequest) return UseRequest(id);
  }

  // The reserve of the text budget that events leave for the texts of the live state.
  void OpenTextReserve() { text_bytes_limit_ = text_bytes_cap_; }
  size_t text_bytes_cap() const { return text_bytes_cap_; }

  // The first column says how many rows there are; it is written even if all its codes are 0.
  template <typename E>
  void AddRow(Batch<E>& batch, const std::type_identity_t<E>& event);
  // Writes the gathered rows of kernels and API calls, and their sites, into their columns.
  void WriteRows();
  void AddAnnotation(Batch<record::Annotation>& batch, const record::Annotation& event);
  template <typename E>
  void AddFields(Batch<E>& batch, unsigned count_column, std::span<const record::PayloadField> fields);
  void AddRows(Column* count_column, std::span<const record::BatchRow> rows);
  void AddMasked(Column* mask_column, std::span<const uint64_t> values);

  std::span<const record::RequestId> requests() const { return requests_.first(request_count_); }

  ColumnStore store;
  ChunkColumns columns;
  LocalIds texts, shapes, lanes;
  SiteTable<KernelSite> kernel_sites;
  SiteTable<ApiCallSite> api_call_sites;
  SiteRows<KernelSite> kernel_rows;
  SiteRows<ApiCallSite> api_call_rows;
  uint64_t last_api_call_end = 0;
  std::span<uint64_t> lane_end;  // by LaneId: end of the newest kernel

 private:
  // A cold event touches at most this many columns, and each may need a page; the live state and the batches at the
  // start of a chunk use it up as well.
  static constexpr uint32_t kReservePages = 128 + 2 * (Columns<KernelSite>::kCount + Columns<ApiCallSite>::kCount);
  // The last: gathered rows.
  static constexpr uint32_t kLeastPageData = ColumnStore::kPageData - kMaxVarint;

  const record::Dictionary* dictionary_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  base::FlatMap<uint64_t, uint32_t> request_index_;
  std::span<record::RequestId> requests_;
  size_t request_count_ = 0;
  size_t text_bytes_ = 0, text_bytes_limit_ = 0, text_bytes_cap_ = 0;
};

// Writes the columns of one event; Columns<Event>::Each calls Do for each.
class RowWriter {
 public:
  RowWriter(ChunkBuilder& builder, Column* columns) : builder_(builder), columns_(columns) {}

  template <unsigned kNumber, Coding kCoding, typename T>
  void Do(const T& member) {
    Column& column = columns_[kNumber - 1];
    if constexpr (kCoding == Coding::kAfter) {
      builder_.store.Put(column, ZigZag(ToWire(member) - first_time_));
    } else if constexpr (kCoding == Coding::kNumber || kCoding == Coding::kTime) {
      if constexpr (kCoding == Coding::kTime) first_time_ = member;
      builder_.store.PutDelta(column, ToWire(member));
    } else {
      builder_.store.PutDelta(column, builder_.Use<kCoding>(member));
    }
  }

 private:
  ChunkBuilder& builder_;
  Column* columns_;
  uint64_t first_time_ = 0;
};

// The values of a site's columns, in their order; Columns<Site>::Each calls Do for each.
template <typename Site>
class SiteValues {
 public:
  static constexpr size_t kColumns = Columns<Site>::kCount - kFirstSiteColumn + 1;

  explicit SiteValues(ChunkBuilder& builder) : builder_(builder) {}
  template <unsigned kNumber, Coding kCoding, typename T>
  void Do(const T& member) {
    uint64_t& value = values_[kNumber - kFirstSiteColumn];
    if constexpr (kCoding == Coding::kNumber) {
      value = ToWire(member);
    } else {
      value = builder_.Use<kCoding>(member);
    }
  }
  std::span<const uint64_t, kColumns> get() const { return std::span<const uint64_t, kColumns>(values_); }

 private:
  ChunkBuilder& builder_;
  uint64_t values_[kColumns] = {};
};

template <typename E>
void ChunkBuilder::AddRow(Batch<E>& batch, const std::type_identity_t<E>& event) {
  RowWriter writer(*this, batch.columns);
  Columns<E>::Each(event, writer);
  batch.At(1).any |= 1;
}

template <typename E>
void ChunkBuilder::AddFields(Batch<E>& batch, unsigned count_column, std::span<const record::PayloadField> fields) {
  Column* columns_behind = &batch.At(count_column) + 1;
  store.PutDelta(batch.At(count_column), fields.size());
  for (const record::PayloadField& field : fields) {
    columns_behind[0].any |= 1;
    store.PutDelta(columns_behind[0], ToWire(field.type));
    store.PutDelta(columns_behind[1], UseText(field.name));
    const bool text = field.type == record::PayloadType::kText;
    store.PutDelta(columns_behind[2], text ? UseText(static_cast<record::StringId>(field.bits)) : field.bits);
  }
}

}  // namespace slowtoken::trace
