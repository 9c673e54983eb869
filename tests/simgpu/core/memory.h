// Memory of the simulated devices. Device addresses lie in one reserved PROT_NONE range per device, so that a host
// dereference faults as on a real GPU; a second, hidden mapping of the same memfd (the alias) is what copies and host
// bodies use. Untouched memory costs nothing. Pinned and managed memory are ordinary mappings that the registry knows.
// Any thread; one mutex.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace simgpu {

enum class MemoryKind { kPageable, kDevice, kPinned, kManaged };

struct PointerInfo {
  MemoryKind kind = MemoryKind::kPageable;
  int device = -1;
  uint64_t base = 0;
  uint64_t size = 0;
  uint32_t context_id = 0;
  uint64_t id = 0;          // buffer id, unique in the process
  void* pool = nullptr;     // of a stream-ordered allocation
  bool registered = false;  // pinned by cuMemHostRegister
  bool adopted = false;     // another process's (IPC)
};

uint64_t DeviceMemoryBytes();

// nullptr (0) when the device is full.
CUdeviceptr AllocateDevice(int device, size_t bytes, void* pool);
void* AllocateHost(size_t bytes, MemoryKind kind, int device);
bool RegisterHost(void* address, size_t bytes);
bool UnregisterHost(void* address);
// Releases memory of any kind by its base address; false if it is none.
bool Release(uint64_t base, MemoryKind kind);

// The allocation that contains `address`; kind kPageable if none.
PointerInfo Classify(const void* address);
// The address to touch from the host: the alias for device memory, else unchanged.
void* HostAlias(const void* address);
// Bytes of device memory in use.
uint64_t UsedBytes(int device);
// Gives touched pages back to the system (memset to zero of large ranges). False if the range is not device memory.
bool ZeroPages(uint64_t address, uint64_t bytes);

// Where an allocation's bytes live, for another process on this machine: /proc/<pid>/fd/<file> at `offset`. False if it
// is none of ours.
struct SharedRange {
  int file = -1;
  uint64_t offset = 0, size = 0;
};
bool ShareAllocation(CUdeviceptr base, SharedRange* range);
// Maps such a range of another process as device memory of `device`. Unlike our own device memory the host can read it.
// 0: cannot.
CUdeviceptr AdoptAllocation(int pid, const SharedRange& range, int device);
bool DropAdopted(CUdeviceptr base);

}  // namespace simgpu
