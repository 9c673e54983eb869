// Pointer attributes.
#include <cstring>

#include "simgpu/core/context.h"
#include "simgpu/core/memory.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

template <typename T>
CUresult Put(void* out, T value) {
  std::memcpy(out, &value, sizeof(value));
  return CUDA_SUCCESS;
}

CUcontext ContextOf(const PointerInfo& info) {
  for (Context* context : AllContexts()) {
    if (context->uid == info.context_id) return ContextHandle(context);
  }
  return nullptr;
}

CUresult Attribute(void* out, CUpointer_attribute attribute, CUdeviceptr address) {
  const PointerInfo info = Classify(reinterpret_cast<void*>(address));
  const bool known = info.kind != MemoryKind::kPageable;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      if (!known) return CUDA_ERROR_INVALID_VALUE;
      return Put<CUmemorytype>(out, info.kind == MemoryKind::kPinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return known ? Put(out, ContextOf(info)) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return known ? Put(out, address) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!known || info.kind == MemoryKind::kDevice) return CUDA_ERROR_INVALID_VALUE;
      return Put(out, address);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return known ? Put<unsigned long long>(out, info.id) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return Put<unsigned>(out, info.kind == MemoryKind::kManaged);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return known ? Put<int>(out, info.device) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return known ? Put(out, info.base) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return known ? Put<size_t>(out, info.size) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return Put<int>(out, known);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return Put<void*>(out, info.pool);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return Put<int>(out, 0);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

SIMGPU_DRIVER(cuPointerGetAttribute)(void* out, CUpointer_attribute attribute, CUdeviceptr address) {
  return Attribute(out, attribute, address);
}

// Unknown attributes of unknown pointers are zeroed, never an error: that is how this one differs.
SIMGPU_DRIVER(cuPointerGetAttributes)
(unsigned count, CUpointer_attribute* attributes, void** out, CUdeviceptr address) {
  for (unsigned i = 0; i < count; ++i) {
    if (Attribute(out[i], attributes[i], address) == CUDA_SUCCESS) continue;
    const bool narrow =
        attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE || attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
      Put<int>(out[i], -2);
    } else {
      std::memset(out[i], 0, narrow ? sizeof(int) : sizeof(void*));
    }
  }
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuPointerSetAttribute)(const void*, CUpointer_attribute, CUdeviceptr) { return CUDA_SUCCESS; }

}  // namespace simgpu
