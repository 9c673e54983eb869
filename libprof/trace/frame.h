// The framing of a trace file (docs/TRACE_FORMAT.md): an 8-byte file magic, then frames. A frame is a 48-byte header
// and a payload: one serialised slowtoken.v1.Chunk, or nothing in the end frame. All integers little-endian.
// Used by ChunkEncoder (worker) and by the reader. Pure functions; the checksum costs about 0.15 ns a byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace slowtoken::trace {

inline constexpr std::array<uint8_t, 8> kFileMagic = {0x89, 'S', 'T', 'T', '\r', '\n', 0x1a, '\n'};
inline constexpr std::array<uint8_t, 8> kFrameMarker = {0xf1, 's', 't', 'F', '\r', '\n', 0xfe, 0x00};
inline constexpr uint16_t kFormatVersion = 1;
inline constexpr size_t kFrameHeaderSize = 48;
inline constexpr uint32_t kMaxPayload = 64u << 20;  // stored and raw; a larger one is damage

enum class Codec : uint8_t { kNone = 0, kZstd = 1 };

enum FrameFlag : uint8_t {
  kEndOfTrace = 1,  // nothing follows: the process closed the trace
  kHasAdvance = 2,  // the chunk ends with an Advance; `watermark` is its watermark
};

struct FrameHeader {
  uint16_t version = kFormatVersion;
  Codec codec = Codec::kNone;
  uint8_t flags = 0;
  uint32_t stored_size = 0;  // bytes of payload in the file
  uint32_t raw_size = 0;     // bytes of payload once decompressed
  uint32_t payload_crc = 0;  // CRC-32C of the stored payload
  uint64_t sequence = 0;     // 0, 1, 2 … ; a number is used up even if its chunk could not be written
  uint64_t watermark = 0;    // of the chunk's Advance; 0 without
};

using FrameHeaderBytes = std::array<uint8_t, kFrameHeaderSize>;

FrameHeaderBytes EncodeFrameHeader(const FrameHeader& header);

// What the 48 bytes at a possible frame are.
enum class FrameCheck : uint8_t {
  kGood,
  kNoMarker,
  kBadChecksum,  // marker found, but the header's own checksum is wrong
  kTooLarge,     // the checksum is right, the sizes are over kMaxPayload
};
FrameCheck DecodeFrameHeader(std::span<const uint8_t, kFrameHeaderSize> bytes, FrameHeader& header);

}  // namespace slowtoken::trace
