// ExtractImage of cubin.h: from a fat binary to one cubin (or PTX text).
#include <elf.h>
#include <zstd.h>

#include <cstring>

#include "simgpu/core/cubin.h"

namespace simgpu {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1;
constexpr uint32_t kContainerMagic = 0xba55ed50;
constexpr uint32_t kZstdMagic = 0xfd2fb528;
constexpr uint16_t kKindCubin = 2;

struct Wrapper {
  uint32_t magic, version;
  const void* data;
  const void* prelinked;
};

struct Container {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t payload_size;
};

struct EntryHeader {
  uint16_t kind, unknown;
  uint32_t header_size;
  uint64_t payload_size;
};

template <typename T>
T Load(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

uint64_t ElfSize(const uint8_t* data) {
  const auto header = Load<Elf64_Ehdr>(data);
  uint64_t size = header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize;
  const uint64_t segments = header.e_phoff + uint64_t{header.e_phnum} * header.e_phentsize;
  return size > segments ? size : segments;
}

std::vector<uint8_t> Unpack(const uint8_t* payload, uint64_t size) {
  if (size < 4 || Load<uint32_t>(payload) != kZstdMagic) return {payload, payload + size};
  const unsigned long long full = ZSTD_getFrameContentSize(payload, size);
  if (full == ZSTD_CONTENTSIZE_ERROR || full == ZSTD_CONTENTSIZE_UNKNOWN || full > (1ull << 32)) return {};
  std::vector<uint8_t> unpacked(full);
  const size_t frame = ZSTD_findFrameCompressedSize(payload, size);
  if (ZSTD_isError(frame) || ZSTD_isError(ZSTD_decompress(unpacked.data(), full, payload, frame))) return {};
  return unpacked;
}

std::vector<uint8_t> FromContainer(const uint8_t* data) {
  const auto container = Load<Container>(data);
  const uint8_t* at = data + container.header_size;
  const uint8_t* end = at + container.payload_size;
  std::vector<uint8_t> ptx;
  while (at + sizeof(EntryHeader) <= end) {
    const auto entry = Load<EntryHeader>(at);
    if (entry.header_size == 0) break;
    std::vector<uint8_t> image = Unpack(at + entry.header_size, entry.payload_size);
    if (entry.kind == kKindCubin && !image.empty()) return image;
    if (ptx.empty()) ptx = std::move(image);
    at += entry.header_size + entry.payload_size;
  }
  return ptx;
}

}  // namespace

std::vector<uint8_t> ExtractImage(const void* data) {
  if (data == nullptr) return {};
  const auto magic = Load<uint32_t>(data);
  const auto* bytes = static_cast<const uint8_t*>(data);
  if (magic == kWrapperMagic) return ExtractImage(Load<Wrapper>(data).data);
  if (magic == kContainerMagic) return FromContainer(bytes);
  if (std::memcmp(data, ELFMAG, SELFMAG) == 0) return {bytes, bytes + ElfSize(bytes)};
  return {bytes, bytes + std::strlen(reinterpret_cast<const char*>(bytes))};
}

}  // namespace simgpu
