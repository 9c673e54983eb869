// Memory pools of stream-ordered allocation: only their identity and attributes; memory comes straight from the
// device's arena.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>

namespace simgpu {

struct Pool {
  static constexpr uint32_t kMagic = 0x504f4f4c;

  uint32_t magic = kMagic;
  int device = 0;
  std::map<int, uint64_t> attributes;

  CUmemoryPool Handle() { return reinterpret_cast<CUmemoryPool>(this); }
};

Pool* DefaultPool(int device);
Pool* CurrentPool(int device);
void SetCurrentPool(int device, Pool* pool);
inline Pool* PoolFrom(CUmemoryPool handle) {
  auto* pool = reinterpret_cast<Pool*>(handle);
  return pool != nullptr && pool->magic == Pool::kMagic ? pool : nullptr;
}

}  // namespace simgpu
