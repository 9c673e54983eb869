#include "trace/frame.h"

#include <cstring>

#include "base/crc32c.h"

namespace slowtoken::trace {
namespace {

// Byte offsets of the header's fields.
enum Offset : size_t {
  kMarkerAt = 0,
  kVersionAt = 8,
  kCodecAt = 10,
  kFlagsAt = 11,
  kStoredSizeAt = 12,
  kRawSizeAt = 16,
  kPayloadCrcAt = 20,
  kSequenceAt = 24,
  kWatermarkAt = 32,
  kReservedAt = 40,   // zero; covered by the checksum
  kHeaderCrcAt = 44,  // CRC-32C of bytes 0 to 43
};

template <typename T>
void Store(FrameHeaderBytes& bytes, size_t at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) bytes[at + i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
}

template <typename T>
T Load(std::span<const uint8_t, kFrameHeaderSize> bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
  return static_cast<T>(value);
}

}  // namespace

FrameHeaderBytes EncodeFrameHeader(const FrameHeader& header) {
  FrameHeaderBytes bytes{};
  memcpy(bytes.data() + kMarkerAt, kFrameMarker.data(), kFrameMarker.size());
  Store(bytes, kVersionAt, header.version);
  Store(bytes, kCodecAt, static_cast<uint8_t>(header.codec));
  Store(bytes, kFlagsAt, header.flags);
  Store(bytes, kStoredSizeAt, header.stored_size);
  Store(bytes, kRawSizeAt, header.raw_size);
  Store(bytes, kPayloadCrcAt, header.payload_crc);
  Store(bytes, kSequenceAt, header.sequence);
  Store(bytes, kWatermarkAt, header.watermark);
  Store(bytes, kHeaderCrcAt, base::Crc32c(bytes.data(), kHeaderCrcAt));
  return bytes;
}

FrameCheck DecodeFrameHeader(std::span<const uint8_t, kFrameHeaderSize> bytes, FrameHeader& header) {
  if (memcmp(bytes.data(), kFrameMarker.data(), kFrameMarker.size()) != 0) return FrameCheck::kNoMarker;
  if (base::Crc32c(bytes.data(), kHeaderCrcAt) != Load<uint32_t>(bytes, kHeaderCrcAt)) return FrameCheck::kBadChecksum;
  header.version = Load<uint16_t>(bytes, kVersionAt);
  header.codec = static_cast<Codec>(bytes[kCodecAt]);
  header.flags = bytes[kFlagsAt];
  header.stored_size = Load<uint32_t>(bytes, kStoredSizeAt);
  header.raw_size = Load<uint32_t>(bytes, kRawSizeAt);
  header.payload_crc = Load<uint32_t>(bytes, kPayloadCrcAt);
  header.sequence = Load<uint64_t>(bytes, kSequenceAt);
  header.watermark = Load<uint64_t>(bytes, kWatermarkAt);
  return header.stored_size > kMaxPayload || header.raw_size > kMaxPayload ? FrameCheck::kTooLarge : FrameCheck::kGood;
}

}  // namespace slowtoken::trace
