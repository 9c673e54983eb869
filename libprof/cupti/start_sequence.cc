#include "cupti/start_sequence.h"

#include <stdarg.h>
#include <stdio.h>

#include "cupti/api_classes.h"
#include "cupti/probe_call.h"
#include "cupti/subscription_slot.h"

namespace slowtoken::cupti {
namespace {

using record::SourceState;

// CUpti_ActivityAttribute numbers (cupti_activity.h:7143, 7211); the second is missing from some headers.
constexpr auto kZeroedBuffer = static_cast<CUpti_ActivityAttribute>(5);
constexpr auto kPerThreadBuffer = static_cast<CUpti_ActivityAttribute>(9);

constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_OVERHEAD,          CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
};
constexpr CUpti_ActivityKind kResourceKinds[] = {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT,
                                                 CUPTI_ACTIVITY_KIND_STREAM};

// The state and the advice behind an error code that refuses everything.
SourceState StateOf(CUptiResult error) {
  switch (static_cast<int>(error)) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_MAX_LIMIT_REACHED:
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return SourceState::kRefused;
    case CUPTI_ERROR_UNKNOWN:
    case CUPTI_ERROR_NOT_INITIALIZED:
      return SourceState::kNoDriver;
    default:
      return SourceState::kFailed;
  }
}

const char* AdviceFor(CUptiResult error) {
  switch (static_cast<int>(error)) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "allow GPU profiling for all users (driver option NVreg_RestrictProfilingToAdminUsers=0) or run with "
             "CAP_SYS_ADMIN";
    case CUPTI_ERROR_UNKNOWN:
    case CUPTI_ERROR_NOT_INITIALIZED:
      return "there is no usable CUDA driver in this process";
    case CUPTI_ERROR_NOT_COMPATIBLE:
      return "use the CUPTI that belongs to the driver";
    default:
      return "no GPU records from it; NVTX and request data are still recorded";
  }
}

class Starter {
 public:
  Starter(const ApiTable& api, const Options& options, const ApiClasses& classes, base::LossCounters& losses)
      : api_(api), options_(options), classes_(classes), losses_(losses) {}

  Attachment Run() {
    out_.version = api_.Version();
    policy_ = VersionPolicy::For(out_.version);
    if (!VersionFits() || !SlotIsFree()) return out_;
    SetAttributes();
    if (!RegisterBuffers()) return out_;
    if (options_.again) FlushLeftovers();
    EnableKinds();
    EnableCalls();
    Conclude();
    return out_;
  }

 private:
  bool VersionFits() {
    if (out_.version == 0) return Fail(SourceState::kFailed, 0, "CUPTI does not tell its version: not used");
    if (policy_.supported) return true;
    return Fail(SourceState::kVersionUnsupported, 0,
                "CUPTI API version %u is older than CUDA 12.4 (%u): use a newer CUDA runtime", out_.version,
                kApiCuda12_4);
  }

  bool SlotIsFree() {
    const SlotAnswer answer = AskForSlot(api_);
    if (answer.result == CUPTI_SUCCESS) return true;
    losses_.Add(base::Loss::kFaultedCall);
    if (!answer.taken()) {
      return Fail(StateOf(answer.result), answer.result, "cuptiSubscribe failed with error %d: %s",
                  static_cast<int>(answer.result), AdviceFor(answer.result));
    }
    out_.reason = record::BlindReason::kOtherTool;
    return Fail(
        SourceState::kRefused, answer.result,
        "another CUPTI client is active (%s): no GPU records until it lets go of CUPTI; NVTX and request data "
        "are still recorded",
        answer.holder[0] == '\0' ? "name unknown: Nsight, a framework's profiler or a debugger" : answer.holder);
  }

  void SetAttributes() {
    out_.zeroed_by_us = Set(kZeroedBuffer, 1);
    if (!policy_.per_thread_buffers) Set(kPerThreadBuffer, 0);
    out_.thread_ids_known = api_.set_thread_id_type != nullptr &&
                            Check(api_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM), "thread ids");
  }

  bool Set(CUpti_ActivityAttribute attribute, uint8_t value) {
    size_t size = sizeof value;
    return api_.set_attribute != nullptr &&
           Check(api_.set_attribute(attribute, &size, &value), "an attribute of the activity buffers");
  }

  bool RegisterBuffers() {
    const CUptiResult result = api_.register_callbacks == nullptr
                                   ? CUPTI_ERROR_API_NOT_IMPLEMENTED
                                   : api_.register_callbacks(HostSide::BufferRequested, HostSide::BufferCompleted);
    if (result == CUPTI_SUCCESS) return true;
    losses_.Add(base::Loss::kFaultedCall);
    return Fail(StateOf(result), result, "cuptiActivityRegisterCallbacks failed with error %d: %s",
                static_cast<int>(result), AdviceFor(result));
  }

  // They come to our call-back, which does not know them: the other client's own may be unloaded by now.
  void FlushLeftovers() {
    if (api_.flush_all != nullptr) Check(api_.flush_all(0), "the last client's leftovers");
  }

  void EnableKinds() {
    for (CUpti_ActivityKind kind : kResourceKinds) EnableResource(kind);
    for (CUpti_ActivityKind kind : kKinds) EnableKind(kind);
    const bool nodes = options_.graph_level == GraphLevel::kNode && policy_.graph_nodes;
    if (!nodes) EnableKind(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
    if (!nodes && options_.graph_level == GraphLevel::kNode) {
      Note("CUPTI before CUDA 12.6 hangs when single graph nodes are recorded: graphs are recorded as a whole");
    }
  }

  void EnableResource(CUpti_ActivityKind kind) {
    const bool dump = options_.attach_late && api_.enable_and_dump != nullptr;
    if (!dump || !Check(api_.enable_and_dump(kind), "records of existing devices, contexts and streams"))
      EnableKind(kind);
  }

  void EnableKind(CUpti_ActivityKind kind) {
    const CUptiResult result = api_.enable == nullptr ? CUPTI_ERROR_API_NOT_IMPLEMENTED : api_.enable(kind);
    if (result == CUPTI_SUCCESS) {
      out_.collecting = true;
      return;
    }
    losses_.Add(base::Loss::kFaultedCall);
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) kernels_refused_ = result;
    Note("activity kind %d could not be enabled (error %d): %s", static_cast<int>(kind), static_cast<int>(result),
         AdviceFor(result));
  }

  void EnableCalls() {
    if (EnableWanted(record::ApiDomain::kRuntime, api_.enable_runtime_api) &&
        EnableWanted(record::ApiDomain::kDriver, api_.enable_driver_api)) {
      Check(api_.enable_driver_api(ProbeCall::kCallbackId, 1), "records of single API calls");
      return;
    }
    out_.whole_api_kinds = true;
    EnableKind(CUPTI_ACTIVITY_KIND_RUNTIME);
    EnableKind(CUPTI_ACTIVITY_KIND_DRIVER);
  }

  // False if CUPTI does not take single calls (the first one is refused).
  bool EnableWanted(record::ApiDomain domain, CUptiResult (*enable)(CUpti_CallbackId, uint8_t)) {
    if (enable == nullptr) return false;
    bool any = false;
    for (uint32_t id = 1; id < ApiClasses::kMaxId; ++id) {
      if (!classes_.Of(domain, id).wanted()) continue;
      const bool enabled = Check(enable(id, 1), "records of single API calls");
      if (!enabled && !any) return false;
      any = any || enabled;
    }
    return any;
  }

  void Conclude() {
    out_.collecting = out_.collecting || !out_.whole_api_kinds;
    out_.state = kernels_refused_ == CUPTI_SUCCESS ? SourceState::kActive : StateOf(kernels_refused_);
    out_.error = static_cast<int32_t>(kernels_refused_);
    if (kernels_refused_ != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) return;
    out_.collecting = false;  // what comes is another tool's
    out_.reason = record::BlindReason::kOtherTool;
  }

  // Counts a failure and keeps the first one's line.
  bool Check(CUptiResult result, const char* what) {
    if (result == CUPTI_SUCCESS) return true;
    losses_.Add(base::Loss::kFaultedCall);
    Note("CUPTI refused %s (error %d): recording goes on without", what, static_cast<int>(result));
    return false;
  }

  __attribute__((format(printf, 2, 3))) void Note(const char* format, ...) {
    if (out_.detail[0] != '\0') return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out_.detail, sizeof out_.detail, format, arguments);
    va_end(arguments);
  }

  // Ends the attempt. Always false.
  __attribute__((format(printf, 4, 5))) bool Fail(SourceState state, int error, const char* format, ...) {
    out_.state = state;
    out_.error = error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out_.detail, sizeof out_.detail, format, arguments);
    va_end(arguments);
    return false;
  }

  const ApiTable& api_;
  const Options& options_;
  const ApiClasses& classes_;
  base::LossCounters& losses_;
  VersionPolicy policy_;
  CUptiResult kernels_refused_ = CUPTI_SUCCESS;
  Attachment out_;
};

}  // namespace

Attachment AttachToCupti(const ApiTable& api, const Options& options, const ApiClasses& classes,
                         base::LossCounters& losses) {
  return Starter(api, options, classes, losses).Run();
}

}  // namespace slowtoken::cupti
