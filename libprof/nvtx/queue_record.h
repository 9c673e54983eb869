// The records that host threads write into their queues and the worker reads back. In-memory only, never on disk.
// A record is a RecordHeader, for most operations a RecordDetail, then the text, then the payload; every part starts on
// a multiple of 8 bytes. Plain data, no cost.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace slowtoken::nvtx {

enum class Op : uint8_t {
  kLink,         // the end of a chunk: only `size` and `op` are set, the next chunk's address follows
  kThreadStart,  // header.text = thread id: the records that follow are this thread's
  kThreadExit,
  kPush,
  kPop,
  kStart,
  kEnd,
  kMark,
  kNameCategory,  // detail.category
  kNameThread,    // detail.id = thread id
};

enum class TextForm : uint8_t { kNone, kBytes, kWide, kRegistered };

// kUnsigned64 to kFloat equal nvtxPayloadType_t (nvToolsExt.h:502).
enum class PayloadForm : uint8_t { kNone, kUnsigned64, kSigned64, kDouble, kUnsigned32, kSigned32, kFloat, kExtended };

struct RecordHeader {
  uint32_t size = 0;  // of the whole record, a multiple of 8
  Op op = Op::kLink;
  TextForm form = TextForm::kNone;
  PayloadForm payload = PayloadForm::kNone;
  bool truncated = false;  // the text was cut
  uint64_t stamp = 0;      // capture::RawStamp
  uint16_t domain = 0;
  uint16_t level = 0;  // push and pop: nesting level within thread and domain
  uint32_t text = 0;   // bytes of text that follow (kBytes, kWide), or the registered string's index
};
static_assert(sizeof(RecordHeader) == 24);

// Follows the header in every record but links, thread records and pops without payload.
struct RecordDetail {
  uint32_t category = 0;
  uint32_t color = 0;
  uint64_t id = 0;  // start and end: the range's; kNameThread: the thread's
};
static_assert(sizeof(RecordDetail) == 16);

// Writes them as whole words, from registers: copied from elsewhere in memory, a header or a detail would wait for the
// small stores it was made by.
static_assert(std::endian::native == std::endian::little);
[[gnu::always_inline]] inline void Store(std::byte* room, const RecordHeader& header) {
  const uint64_t what = header.size | uint64_t{static_cast<uint8_t>(header.op)} << 32 |
                        uint64_t{static_cast<uint8_t>(header.form)} << 40 |
                        uint64_t{static_cast<uint8_t>(header.payload)} << 48 | uint64_t{header.truncated} << 56;
  const uint64_t where = header.domain | uint64_t{header.level} << 16 | uint64_t{header.text} << 32;
  memcpy(room, &what, 8);
  memcpy(room + 8, &header.stamp, 8);
  memcpy(room + 16, &where, 8);
}
[[gnu::always_inline]] inline void Store(std::byte* room, const RecordDetail& detail) {
  const uint64_t looks = detail.category | uint64_t{detail.color} << 32;
  memcpy(room, &looks, 8);
  memcpy(room + 8, &detail.id, 8);
}

// A plain payload is one 8-byte value. An extended one is a PayloadCount and that many pieces.
struct PayloadCount {
  uint64_t pieces = 0;
};

// One nvtxPayloadData_t: its bytes follow, then `copies` PointerCopy blocks.
struct PayloadPiece {
  uint64_t schema = 0;
  uint32_t size = 0;    // bytes; kNotCopied if the payload was too large or of unknown size
  uint32_t copies = 0;  // blocks of memory that the payload points to
};
inline constexpr uint32_t kNotCopied = 0xffffffffu;

// What a pointer inside a payload pointed to, copied on the host thread. The bytes follow.
struct PointerCopy {
  uint32_t offset = 0;  // of the pointer in the payload
  uint32_t size = 0;
};

constexpr uint32_t AlignRecord(size_t bytes) { return static_cast<uint32_t>((bytes + 7) & ~size_t{7}); }

}  // namespace slowtoken::nvtx
