#include "nvtx/payload_copy.h"

namespace slowtoken::nvtx {
namespace {

constexpr uint32_t kPieceLimit = 4096;
constexpr uint32_t kCopiedTextLimit = 256;

bool IsBytesText(uint64_t type) {
  return type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING || type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8;
}

// The size the host gave, or found out where it said SIZE_MAX (nvToolsExtPayload.h:585); kNotCopied if neither.
uint32_t PieceBytes(const nvtxPayloadData_t& data, const Schema* schema, uint32_t limit) {
  if (data.payload == nullptr) return kNotCopied;
  size_t size = data.size;
  if (size == SIZE_MAX) {
    if (schema != nullptr && schema->static_size != 0) {
      size = schema->static_size;
    } else if (IsBytesText(data.schemaId)) {
      size = strnlen(static_cast<const char*>(data.payload), limit);
    } else {
      size = InfoOf(data.schemaId).size;
    }
    if (size == 0) return kNotCopied;
  }
  return size <= limit ? static_cast<uint32_t>(size) : kNotCopied;
}

bool IsOpaque(uint64_t schema) {
  return schema == NVTX_TYPE_PAYLOAD_SCHEMA_RAW || schema == NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED;
}

}  // namespace

PayloadPlan::PayloadPlan(const Recorder& recorder, uint16_t domain, const nvtxPayloadData_t* data, size_t count) {
  bytes_ = sizeof(PayloadCount);
  if (data == nullptr) return;
  const bool llmserve = domain != 0 && domain == recorder.names->llmserve.load(std::memory_order_relaxed);
  const uint32_t limit = llmserve ? recorder.llmserve_limit : kPieceLimit;
  for (size_t i = 0; i < count && count_ < kMaxPieces; ++i) {
    if (!IsOpaque(data[i].schemaId)) MeasurePiece(recorder, domain, data[i], limit);
  }
}

void PayloadPlan::MeasurePiece(const Recorder& recorder, uint16_t domain, const nvtxPayloadData_t& data,
                               uint32_t limit) {
  const Schema* schema = recorder.names->schemas.Find(domain, data.schemaId);
  Piece& piece = pieces_[count_++];
  piece.from = data.payload;
  piece.header = {data.schemaId, PieceBytes(data, schema, limit), 0};
  bytes_ += static_cast<uint32_t>(sizeof(PayloadPiece));
  const uint32_t before = bytes_;
  const uint32_t most = recorder.llmserve_limit;
  bool fits = piece.header.size != kNotCopied && bytes_ + AlignRecord(piece.header.size) <= most;
  if (fits) bytes_ += AlignRecord(piece.header.size);
  // Half a text must not pass for the whole where it names who is in a batch.
  const uint32_t text_limit = limit == kPieceLimit ? kCopiedTextLimit : most;
  if (fits && schema != nullptr) fits = MeasureCopies(*schema, piece, text_limit, most);
  if (fits) return;
  piece.header.size = kNotCopied;
  piece.header.copies = 0;
  bytes_ = before;
}

bool PayloadPlan::MeasureCopies(const Schema& schema, Piece& piece, uint32_t text_limit, uint32_t record_limit) {
  for (uint32_t i = 0; i < schema.pointer_count; ++i) {
    const PointerField& field = schema.pointers[i];
    if (field.offset + sizeof(void*) > piece.header.size) continue;
    const void* target = nullptr;
    memcpy(&target, static_cast<const std::byte*>(piece.from) + field.offset, sizeof target);
    if (target == nullptr) continue;
    const auto size =
        field.bytes != 0 ? field.bytes : static_cast<uint32_t>(strnlen(static_cast<const char*>(target), text_limit));
    if (bytes_ + sizeof(PointerCopy) + AlignRecord(size) > record_limit) return false;
    piece.copies[piece.header.copies++] = {target, {field.offset, size}};
    bytes_ += static_cast<uint32_t>(sizeof(PointerCopy)) + AlignRecord(size);
  }
  return true;
}

void PayloadPlan::Write(std::byte* to) const {
  const PayloadCount pieces{count_};
  memcpy(to, &pieces, sizeof pieces);
  to += sizeof pieces;
  for (size_t i = 0; i < count_; ++i) {
    const Piece& piece = pieces_[i];
    memcpy(to, &piece.header, sizeof piece.header);
    to += sizeof piece.header;
    if (piece.header.size == kNotCopied) continue;
    memcpy(to, piece.from, piece.header.size);
    to += AlignRecord(piece.header.size);
    for (uint32_t c = 0; c < piece.header.copies; ++c) {
      const Copy& copy = piece.copies[c];
      memcpy(to, &copy.header, sizeof copy.header);
      memcpy(to + sizeof copy.header, copy.from, copy.header.size);
      to += sizeof copy.header + AlignRecord(copy.header.size);
    }
  }
}

}  // namespace slowtoken::nvtx
