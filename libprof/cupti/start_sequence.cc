#include "cupti/start_sequence.h"

#include <stdarg.h>
#include <stdio.h>

#include "cupti/api_classes.h"

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
constexpr CUpti_CallbackId kGraphCallbacks[] = {
    CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING};

// The state and the advice behind an error code that refuses everything.
SourceState StateOf(CUptiResult error) {
  switch (static_cast<int>(error)) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
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
    if (!VersionFits() || !Subscribe()) return out_;
    SetAttributes();
    if (!RegisterBuffers()) {
      Leave();
      return out_;
    }
    EnableCallbacks();
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

  bool Subscribe() {
    char other[128] = {};
    CUptiResult result =
        policy_.subscribe_v2_first && api_.subscribe_v2 != nullptr ? SubscribeNamed(other) : SubscribePlain();
    if (result == CUPTI_SUCCESS) return true;
    losses_.Add(base::Loss::kFaultedCall);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
      if (other[0] == '\0') AskForTheOther(other);
      out_.reason = record::BlindReason::kOtherTool;
      return Fail(SourceState::kRefused, result,
                  "another CUPTI client is active (%s): run without it to get GPU records; NVTX and request data are "
                  "still recorded",
                  other[0] == '\0' ? "name unknown: Nsight, a framework's profiler or a debugger" : other);
    }
    return Fail(StateOf(result), result, "cuptiSubscribe failed with error %d: %s", static_cast<int>(result),
                AdviceFor(result));
  }

  CUptiResult SubscribePlain() {
    named_ = false;
    if (api_.subscribe == nullptr) return CUPTI_ERROR_API_NOT_IMPLEMENTED;
    return api_.subscribe(&subscriber_, HostSide::OnCallback, nullptr);
  }

  CUptiResult SubscribeNamed(char (&other)[128]) {
    SubscriberParams params;
    named_ = true;
    params.subscriber_name = "slowtoken";
    params.old_subscriber_name = other;
    params.old_subscriber_size = sizeof other - 1;
    return api_.subscribe_v2(&subscriber_, HostSide::OnCallback, nullptr, &params);
  }

  // Version 1 has refused us without a name. If version 2 does not refuse, its subscription is no use to us.
  void AskForTheOther(char (&other)[128]) {
    if (api_.subscribe_v2 != nullptr && SubscribeNamed(other) == CUPTI_SUCCESS) Leave();
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

  // Makes room for other tools: we have no use for the subscription.
  void Leave() {
    if (api_.unsubscribe != nullptr) api_.unsubscribe(subscriber_);
  }

  bool RegisterBuffers() {
    CUptiResult result = Register();
    if (result == CUPTI_ERROR_NOT_COMPATIBLE && named_) result = RegisterUnnamed();
    if (result == CUPTI_SUCCESS) return true;
    losses_.Add(base::Loss::kFaultedCall);
    return Fail(StateOf(result), result, "cuptiActivityRegisterCallbacks failed with error %d: %s",
                static_cast<int>(result), AdviceFor(result));
  }

  CUptiResult Register() {
    if (api_.register_callbacks == nullptr) return CUPTI_ERROR_API_NOT_IMPLEMENTED;
    return api_.register_callbacks(HostSide::BufferRequested, HostSide::BufferCompleted);
  }

  // This CUPTI refuses the global activity calls after a named subscription (bug log row 46): subscribe without a name.
  CUptiResult RegisterUnnamed() {
    Leave();
    const CUptiResult result = SubscribePlain();
    if (result != CUPTI_SUCCESS) return result;
    out_.detail[0] = '\0';  // what was refused for the same reason
    SetAttributes();
    return Register();
  }

  void EnableCallbacks() {
    if (api_.enable_callback == nullptr) return;
    Check(api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR),
          "notice of fatal errors");
    for (CUpti_CallbackId id : kGraphCallbacks) {
      if (!Check(api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, id), "call-backs of graph building")) {
        return;
      }
    }
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
      if (!classes_.Wanted(domain, id)) continue;
      const bool enabled = Check(enable(id, 1), "records of single API calls");
      if (!enabled && !any) return false;
      any = any || enabled;
    }
    return any;
  }

  void Conclude() {
    out_.collecting = out_.collecting || !out_.whole_api_kinds;
    if (!out_.collecting) Leave();
    out_.state = kernels_refused_ == CUPTI_SUCCESS ? SourceState::kActive : StateOf(kernels_refused_);
    out_.error = static_cast<int32_t>(kernels_refused_);
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
  CUpti_SubscriberHandle subscriber_ = nullptr;
  bool named_ = false;  // subscribed by version 2
  CUptiResult kernels_refused_ = CUPTI_SUCCESS;
  Attachment out_;
};

}  // namespace

Attachment AttachToCupti(const ApiTable& api, const Options& options, const ApiClasses& classes,
                         base::LossCounters& losses) {
  return Starter(api, options, classes, losses).Run();
}

}  // namespace slowtoken::cupti
