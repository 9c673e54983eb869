// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78), the checksum of trace frames. Any thread. With the CPU's own
// instruction (SSE4.2, or ARMv8 CRC where compiled in) about 0.15 ns a byte, by table about 2 ns a byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slowtoken::base {

// The checksum of `size` bytes. To go on from an earlier part give its result as `crc`.
uint32_t Crc32c(const void* data, size_t size, uint32_t crc = 0);

// The same by table only: the reference that the fast path is tested against.
uint32_t Crc32cByTable(const void* data, size_t size, uint32_t crc = 0);

}  // namespace slowtoken::base
