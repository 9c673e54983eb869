// The bytes columns are made of: differences as protobuf's sint64, that is zigzag and varint. Worker thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace slowtoken::trace {

inline constexpr size_t kMaxVarint = 10;  // bytes

// Maps small negative and positive numbers to small codes.
constexpr uint64_t ZigZag(uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }

// Returns where the next one goes.
inline uint8_t* WriteVarint(uint8_t* p, uint64_t code) {
  while (code >= 0x80) {
    *p++ = static_cast<uint8_t>(code | 0x80);
    code >>= 7;
  }
  *p++ = static_cast<uint8_t>(code);
  return p;
}

// Room WriteDifferences needs for `count`.
constexpr size_t DifferencesRoom(size_t count) { return count * kMaxVarint + 16; }

struct WrittenDifferences {
  size_t bytes = 0;
  uint64_t any = 0;  // all codes or-ed
};

// Writes the code of each difference. Where the processor has SSE4.2 about six instructions each while codes take one
// or two bytes, and one where all are the same; else about 18.
WrittenDifferences WriteDifferences(uint8_t* out, std::span<const uint64_t> differences);

// The same, without what only some processors have.
WrittenDifferences WriteDifferencesOneByOne(uint8_t* out, std::span<const uint64_t> differences);

}  // namespace slowtoken::trace
