// A description of one piece of work: what a launch, a copy, a set or a host function asks for. The same description
// goes into a stream now (Dispatch), becomes a graph node at capture, and is turned into a timed Step at each (graph)
// launch.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "simgpu/core/memory.h"
#include "simgpu/core/tool.h"
#include "simgpu/core/work.h"

namespace simgpu {

struct Function;
struct Event;

// Kernel arguments, copied at launch or capture.
struct Arguments {
  std::vector<uint8_t> bytes;
  std::vector<void*> pointers;
};

struct KernelWork {
  Function* function = nullptr;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t cluster[3] = {0, 0, 0};
  uint32_t shared = 0;
  bool cooperative = false;
  std::shared_ptr<Arguments> arguments;  // null unless someone will read them
};

struct CopyWork {
  void* destination = nullptr;
  const void* source = nullptr;
  size_t width = 0, height = 1, depth = 1;  // bytes, rows, slices
  size_t destination_pitch = 0, source_pitch = 0;
  size_t destination_slice = 0, source_slice = 0;  // bytes from slice to slice
  MemoryKind destination_kind = MemoryKind::kPageable, source_kind = MemoryKind::kPageable;
  int destination_device = -1, source_device = -1;
  bool asynchronous = true;
  std::shared_ptr<std::vector<uint8_t>> staging;  // pageable source of an asynchronous copy

  uint64_t Bytes() const { return uint64_t{width} * height * depth; }
};

struct SetWork {
  CUdeviceptr destination = 0;
  uint32_t value = 0;
  uint32_t element = 1;                     // bytes
  size_t width = 0, height = 1, pitch = 0;  // elements, rows, bytes
  bool asynchronous = true;
};

struct HostWork {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
  CUstreamCallback callback = nullptr;  // cuStreamAddCallback; then stream is its first argument
  CUstream stream = nullptr;
};

enum class WorkKind : uint8_t { kEmpty, kKernel, kCopy, kSet, kHost, kEventRecord, kEventWait, kAllocate, kFree };

struct WorkItem {
  WorkKind kind = WorkKind::kEmpty;
  KernelWork kernel;
  CopyWork copy;
  SetWork set;
  HostWork host;
  Event* event = nullptr;
  CUdeviceptr address = 0;  // kAllocate, kFree
  size_t bytes = 0;
};

struct GraphIds {
  uint32_t graph = 0;
  uint64_t node = 0;
};

// A step ready to submit, its record reserved with the tool. No lock held.
Step MakeStep(const WorkItem& item, Stream* stream, GraphIds ids);

// Does the work in `stream`: adds a node if it is capturing, else submits. `sequence` (may be null): the op to wait
// for; 0 if captured.
CUresult Dispatch(Stream* stream, WorkItem item, uint64_t* sequence = nullptr);
// As Dispatch, then waits. Fails in a capturing stream.
CUresult DispatchAndWait(Stream* stream, WorkItem item);

// Fills in kinds and devices of both ends.
void ClassifyCopy(CopyWork& copy);
// Copies parameters by the module's parameter table. `force` = false: only if the kernel has a body or a cost function.
void CopyArguments(KernelWork& kernel, void** parameters, void** extra, bool force);

}  // namespace simgpu
