// Sizes and classes of records by kind. The kinds that have records, and their sizes, are those of the 13.0 library's
// own cuptiActivityGetNextRecord.
#include <array>

#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/records.h"

namespace simgpu::cupti {
namespace {

constexpr std::array<size_t, CUPTI_ACTIVITY_KIND_COUNT> Sizes() {
  std::array<size_t, CUPTI_ACTIVITY_KIND_COUNT> sizes{};
  sizes[CUPTI_ACTIVITY_KIND_MEMCPY] = sizeof(CUpti_ActivityMemcpy6);
  sizes[CUPTI_ACTIVITY_KIND_MEMSET] = sizeof(CUpti_ActivityMemset4);
  sizes[CUPTI_ACTIVITY_KIND_KERNEL] = sizeof(CUpti_ActivityKernel10);
  sizes[CUPTI_ACTIVITY_KIND_DRIVER] = sizeof(CUpti_ActivityAPI);
  sizes[CUPTI_ACTIVITY_KIND_RUNTIME] = sizeof(CUpti_ActivityAPI);
  sizes[CUPTI_ACTIVITY_KIND_DEVICE] = sizeof(CUpti_ActivityDevice5);
  sizes[CUPTI_ACTIVITY_KIND_CONTEXT] = sizeof(CUpti_ActivityContext3);
  sizes[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = sizeof(CUpti_ActivityKernel10);
  sizes[CUPTI_ACTIVITY_KIND_NAME] = sizeof(CUpti_ActivityName);
  sizes[CUPTI_ACTIVITY_KIND_MARKER] = sizeof(CUpti_ActivityMarker2);
  sizes[CUPTI_ACTIVITY_KIND_MARKER_DATA] = sizeof(CUpti_ActivityMarkerData2);
  sizes[CUPTI_ACTIVITY_KIND_OVERHEAD] = sizeof(CUpti_ActivityOverhead3);
  sizes[CUPTI_ACTIVITY_KIND_ENVIRONMENT] = sizeof(CUpti_ActivityEnvironment);
  sizes[CUPTI_ACTIVITY_KIND_MEMCPY2] = sizeof(CUpti_ActivityMemcpyPtoP4);
  sizes[CUPTI_ACTIVITY_KIND_CUDA_EVENT] = sizeof(CUpti_ActivityCudaEvent2);
  sizes[CUPTI_ACTIVITY_KIND_STREAM] = sizeof(CUpti_ActivityStream);
  sizes[CUPTI_ACTIVITY_KIND_SYNCHRONIZATION] = sizeof(CUpti_ActivitySynchronization2);
  sizes[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION] = sizeof(CUpti_ActivityExternalCorrelation);
  sizes[CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API] = sizeof(CUpti_ActivityAPI);
  sizes[CUPTI_ACTIVITY_KIND_MEMORY2] = sizeof(CUpti_ActivityMemory4);
  sizes[CUPTI_ACTIVITY_KIND_MEMORY_POOL] = sizeof(CUpti_ActivityMemoryPool3);
  sizes[CUPTI_ACTIVITY_KIND_GRAPH_TRACE] = sizeof(CUpti_ActivityGraphTrace2);
  sizes[CUPTI_ACTIVITY_KIND_JIT] = sizeof(CUpti_ActivityJit2);
  sizes[CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE] = sizeof(CUpti_ActivityDeviceGraphTrace);
  // Never emitted here, but a walk knows them.
  sizes[CUPTI_ACTIVITY_KIND_CDP_KERNEL] = sizeof(CUpti_ActivityCdpKernel);
  sizes[CUPTI_ACTIVITY_KIND_PREEMPTION] = sizeof(CUpti_ActivityPreemption);
  sizes[CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER] = sizeof(CUpti_ActivityUnifiedMemoryCounter3);
  sizes[CUPTI_ACTIVITY_KIND_FUNCTION] = sizeof(CUpti_ActivityFunction);
  sizes[CUPTI_ACTIVITY_KIND_MODULE] = sizeof(CUpti_ActivityModule);
  sizes[CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE] = sizeof(CUpti_ActivityDeviceAttribute);
  sizes[CUPTI_ACTIVITY_KIND_OPENACC_DATA] = sizeof(CUpti_ActivityOpenAccData);
  sizes[CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH] = sizeof(CUpti_ActivityOpenAccLaunch);
  sizes[CUPTI_ACTIVITY_KIND_OPENACC_OTHER] = sizeof(CUpti_ActivityOpenAccOther);
  sizes[CUPTI_ACTIVITY_KIND_NVLINK] = sizeof(CUpti_ActivityNvLink4);
  sizes[CUPTI_ACTIVITY_KIND_MEMORY] = sizeof(CUpti_ActivityMemory);
  sizes[CUPTI_ACTIVITY_KIND_PCIE] = sizeof(CUpti_ActivityPcie);
  sizes[CUPTI_ACTIVITY_KIND_OPENMP] = sizeof(CUpti_ActivityOpenMp);
  sizes[CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS] = sizeof(CUpti_ActivityMemDecompress);
  sizes[CUPTI_ACTIVITY_KIND_CONFIDENTIAL_COMPUTE_ROTATION] = sizeof(CUpti_ActivityConfidentialComputeRotation);
  return sizes;
}

constexpr auto kSizes = Sizes();

}  // namespace

size_t RecordSize(uint32_t kind) {
  const auto extra = static_cast<size_t>(Faults().extra_bytes);
  if (kind < kSizes.size()) return kSizes[kind] == 0 ? 0 : kSizes[kind] + extra;
  return kind == kUnknownKind && Faults().unknown_kind_every != 0 ? kUnknownKindBytes + extra : 0;
}

uint32_t ClassOfRecord(const void* record) {
  switch (KindOf(record)) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return static_cast<const CUpti_ActivityKernel10*>(record)->graphId != 0 ? kClassGraphKernel : kClassKernel;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return kClassMemcpy;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return kClassMemset;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return kClassGraphTrace;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return kClassRuntime;
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return kClassDriver;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return kClassSync;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return kClassExternal;
    default:
      return kClassOther;
  }
}

}  // namespace simgpu::cupti
