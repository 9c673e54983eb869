// NVTX ranges and marks that are not llmserve annotations (those are annotation.h): NCCL's, the engine's own, the
// user's. Times on CLOCK_MONOTONIC. Made by nvtx/ on the worker or by reader/ offline. Plain data; spans and views are
// valid only during the visitor call.
#pragma once

#include <span>
#include <string_view>

#include "record/ids.h"

namespace slowtoken::record {

// NCCL's own ranges around its calls on the host.
inline constexpr const char* kNcclDomain = "NCCL";
// Domains of imported traces: what PyTorch's record_function said on the host; what was said of a collective's kernel.
inline constexpr const char* kUserAnnotationDomain = "user_annotation";
inline constexpr const char* kCollectiveDomain = "collective";

enum class PayloadType : uint8_t { kInt, kUint, kDouble, kText, kAddress };

// One decoded payload field. `name` is the schema's field name (or empty for a plain payload value).
struct PayloadField {
  StringId name = 0;
  PayloadType type = PayloadType::kUint;
  uint64_t bits = 0;  // the value: two's complement for kInt, IEEE bits for kDouble, StringId for kText
};

struct NvtxRange {
  TimeNs start = 0;
  TimeNs end = 0;         // 0 = still open
  uint64_t range_id = 0;  // start/end ranges only, process-scoped; 0 for push/pop
  StringId message = 0;
  DomainId domain = 0;
  uint32_t category = 0;
  uint32_t color = 0;  // ARGB, 0 = none
  ThreadId thread = 0;
  ThreadId end_thread = 0;
  ProcessIndex process = 0;
  std::span<const PayloadField> fields;
};

struct NvtxMark {
  TimeNs time = 0;
  StringId message = 0;
  DomainId domain = 0;
  uint32_t category = 0;
  uint32_t color = 0;
  ThreadId thread = 0;
  ProcessIndex process = 0;
  std::span<const PayloadField> fields;
};

}  // namespace slowtoken::record
