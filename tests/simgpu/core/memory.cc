#include "simgpu/core/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "simgpu/core/context.h"
#include "simgpu/core/device.h"

namespace simgpu {
namespace {

constexpr uint64_t kSmallAlignment = 512;
constexpr uint64_t kPage = 4096;

struct Arena {
  uint64_t base = 0;
  uint64_t size = 0;
  uint8_t* alias = nullptr;
  int file = -1;
  uint64_t used = 0;
  std::map<uint64_t, uint64_t> free;  // begin -> size

  bool Contains(uint64_t address) const { return address - base < size; }
};

struct Memory {
  std::mutex mutex;
  std::array<Arena, kMaxDevices> arenas;
  int arena_count = 0;
  std::map<uint64_t, PointerInfo> allocations;  // by base
  uint64_t next_id = 1;
};

Memory& The() {
  static Memory* memory = new Memory;
  return *memory;
}

uint64_t RoundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

bool Open(Arena& arena) {
  if (arena.base != 0) return true;
  arena.size = DeviceMemoryBytes();
  arena.file = memfd_create("simgpu", MFD_CLOEXEC);
  if (arena.file < 0 || ftruncate(arena.file, static_cast<off_t>(arena.size)) != 0) return false;
  void* alias = mmap(nullptr, arena.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, arena.file, 0);
  void* range = mmap(nullptr, arena.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (alias == MAP_FAILED || range == MAP_FAILED) return false;
  madvise(alias, arena.size, MADV_DONTDUMP);
  arena.alias = static_cast<uint8_t*>(alias);
  arena.base = reinterpret_cast<uint64_t>(range);
  arena.free[arena.base] = arena.size;
  return true;
}

uint64_t Take(Arena& arena, uint64_t bytes) {
  for (auto range = arena.free.begin(); range != arena.free.end(); ++range) {
    if (range->second < bytes) continue;
    const auto [begin, size] = *range;
    arena.free.erase(range);
    if (size > bytes) arena.free[begin + bytes] = size - bytes;
    arena.used += bytes;
    return begin;
  }
  return 0;
}

void Give(Arena& arena, uint64_t begin, uint64_t bytes) {
  arena.used -= bytes;
  if (bytes >= 16 * kPage) {
    const uint64_t first = RoundUp(begin - arena.base, kPage), last = (begin - arena.base + bytes) / kPage * kPage;
    if (last > first)
      fallocate(arena.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                static_cast<off_t>(last - first));
  }
  auto next = arena.free.lower_bound(begin);
  if (next != arena.free.end() && begin + bytes == next->first) {
    bytes += next->second;
    next = arena.free.erase(next);
  }
  if (next != arena.free.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == begin) {
      previous->second += bytes;
      return;
    }
  }
  arena.free[begin] = bytes;
}

PointerInfo& Add(Memory& memory, uint64_t base, uint64_t size, MemoryKind kind, int device) {
  PointerInfo& info = memory.allocations[base];
  info = PointerInfo{};
  info.kind = kind;
  info.device = device;
  info.base = base;
  info.size = size;
  info.id = memory.next_id++;
  if (Context* context = CurrentContext()) info.context_id = context->uid;
  return info;
}

}  // namespace

uint64_t DeviceMemoryBytes() {
  static const uint64_t bytes = [] {
    const char* text = std::getenv("SIMGPU_MEMORY_GB");
    const uint64_t gigabytes = text != nullptr ? std::strtoull(text, nullptr, 0) : 0;
    return gigabytes > 0 ? gigabytes << 30 : kDefaultMemoryBytes;
  }();
  return bytes;
}

CUdeviceptr AllocateDevice(int device, size_t bytes, void* pool) {
  Memory& memory = The();
  std::lock_guard lock(memory.mutex);
  Arena& arena = memory.arenas[static_cast<size_t>(device)];
  if (bytes > DeviceMemoryBytes() || !Open(arena)) return 0;
  memory.arena_count = std::max(memory.arena_count, device + 1);
  const uint64_t base = Take(arena, RoundUp(bytes, kSmallAlignment));
  if (base != 0) Add(memory, base, bytes, MemoryKind::kDevice, device).pool = pool;
  return base;
}

void* AllocateHost(size_t bytes, MemoryKind kind, int device) {
  void* address =
      mmap(nullptr, RoundUp(bytes, kPage), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  Memory& memory = The();
  std::lock_guard lock(memory.mutex);
  Add(memory, reinterpret_cast<uint64_t>(address), bytes, kind, device);
  return address;
}

bool RegisterHost(void* address, size_t bytes) {
  if (Classify(address).kind != MemoryKind::kPageable) return false;
  Memory& memory = The();
  std::lock_guard lock(memory.mutex);
  Add(memory, reinterpret_cast<uint64_t>(address), bytes, MemoryKind::kPinned, 0).registered = true;
  return true;
}

bool UnregisterHost(void* address) {
  Memory& memory = The();
  std::lock_guard lock(memory.mutex);
  auto found = memory.allocations.find(reinterpret_cast<uint64_t>(address));
  if (found == memory.allocations.end() || !found->second.registered) return false;
  memory.allocations.erase(found);
  return true;
}

bool Release(uint64_t base, MemoryKind kind) {
  Memory& memory = The();
  std::lock_guard lock(memory.mutex);
  auto found = memory.allocations.find(base);
  if (found == memory.allocations.end()) return false;
  const PointerInfo info = found->second;
  if (info.kind != kind || info.registered || info.adopted) return false;
  memory.allocations.erase(found);
  if (kind == MemoryKind::kDevice) {
    Give(memory.arenas[static_cast<size_t>(info.device)], base, RoundUp(info.size, kSmallAlignment));
  } else {
    munmap(reinterpret_cast<void*>(base), RoundUp(info.size, kPage));
  }
  return true;
}

PointerInfo Classify(const void* address) {
  const auto wanted = reinterpret_cast<uint64_t>(address);
  Memory& memory = The();
  std::lock_guard lock(memory.mutex);
  auto found = memory.allocations.upper_bound(wanted);
  if (found == memory.allocations.begin()) return {};
  const PointerInfo& info = std::prev(found)->second;
  return wanted - info.base < std::max<uint64_t>(info.size, 1) ? info : PointerInfo{};
}

void* HostAlias(const void* address) {
  const auto wanted = reinterpret_cast<uint64_t>(address);
  for (int i = 0; i < The().arena_count; ++i) {
    const Arena& arena = The().arenas[static_cast<size_t>(i)];
    if (arena.alias != nullptr && arena.Contains(wanted)) return arena.alias + (wanted - arena.base);
  }
  return const_cast<void*>(address);
}

uint64_t UsedBytes(int device) {
  std::lock_guard lock(The().mutex);
  return The().arenas[static_cast<size_t>(device)].used;
}

bool ZeroPages(uint64_t address, uint64_t bytes) {
  for (int i = 0; i < The().arena_count; ++i) {
    const Arena& arena = The().arenas[static_cast<size_t>(i)];
    if (arena.alias == nullptr || !arena.Contains(address)) continue;
    const auto offset = static_cast<off_t>(address - arena.base);
    return fallocate(arena.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, static_cast<off_t>(bytes)) == 0;
  }
  return false;
}

bool ShareAllocation(CUdeviceptr base, SharedRange* range) {
  std::lock_guard lock(The().mutex);
  auto found = The().allocations.find(base);
  if (found == The().allocations.end() || found->second.kind != MemoryKind::kDevice || found->second.adopted)
    return false;
  const Arena& arena = The().arenas[static_cast<size_t>(found->second.device)];
  *range = {arena.file, base - arena.base, found->second.size};
  return true;
}

CUdeviceptr AdoptAllocation(int pid, const SharedRange& range, int device) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(range.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  const uint64_t first = range.offset / kPage * kPage, size = range.offset - first + range.size;
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(first));
  close(file);
  if (mapped == MAP_FAILED) return 0;
  const uint64_t base = reinterpret_cast<uint64_t>(mapped) + (range.offset - first);
  std::lock_guard lock(The().mutex);
  Add(The(), base, range.size, MemoryKind::kDevice, device).adopted = true;
  return base;
}

bool DropAdopted(CUdeviceptr base) {
  std::lock_guard lock(The().mutex);
  auto found = The().allocations.find(base);
  if (found == The().allocations.end() || !found->second.adopted) return false;
  const uint64_t first = base / kPage * kPage;
  munmap(reinterpret_cast<void*>(first), base - first + found->second.size);
  The().allocations.erase(found);
  return true;
}

}  // namespace simgpu
