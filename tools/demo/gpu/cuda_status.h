// CUDA errors as absl::Status, with the call that failed. Any thread; costs a compare where nothing failed.
#pragma once

#include <cuda_runtime_api.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace slowtoken::demo {

inline absl::Status CudaStatus(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(call, ": ", cudaGetErrorName(error), " (", cudaGetErrorString(error), ")"));
}

}  // namespace slowtoken::demo

// Returns from the calling function if `call`, an expression of type cudaError_t, failed.
#define SLOWTOKEN_RETURN_IF_CUDA_ERROR(call) \
  if (const absl::Status cuda_status = ::slowtoken::demo::CudaStatus(call, #call); !cuda_status.ok()) return cuda_status
