#include "simgpu/cupti/api_calls.h"

#include <cupti.h>

#include <atomic>

#include "simgpu/cupti/callbacks.h"
#include "simgpu/cupti/clock.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/emit.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/lifecycle.h"
#include "simgpu/cupti/recorder.h"
#include "simgpu/cupti/records.h"
#include "simgpu/cupti/thread_state.h"

namespace simgpu::cupti {
namespace {

// SimgpuApiCall::tool: what is kept from enter to exit.
enum ToolField { kStart = 0, kCbid = 1 };

// What fault garbage puts into fields that are not valid at this moment: never to be dereferenced.
void* Poison() { return reinterpret_cast<void*>(uintptr_t{0xbad0bad0bad0bad8}); }

CUpti_CallbackDomain DomainOf(const SimgpuApiCall& call) { return static_cast<CUpti_CallbackDomain>(call.domain); }

// Fault unknown_cbid: every so many calls report an id that the header does not know.
uint32_t ReportedCbid(const SimgpuApiCall& call) {
  static std::atomic<int64_t> count{0};
  if (Faults().unknown_cbid_every <= 0) return call.cbid;
  if ((count.fetch_add(1, std::memory_order_relaxed) + 1) % Faults().unknown_cbid_every != 0) return call.cbid;
  const uint32_t known = call.domain == SIMGPU_DOMAIN_RUNTIME ? uint32_t{CUPTI_RUNTIME_TRACE_CBID_SIZE}
                                                              : uint32_t{CUPTI_DRIVER_TRACE_CBID_SIZE};
  return known + 100;
}

// False if no callback is enabled for it.
bool DispatchApi(SimgpuApiCall* call, CUpti_ApiCallbackSite site) {
  const auto cbid = static_cast<uint32_t>(call->tool[kCbid]);
  if (!CallbackEnabled(DomainOf(*call), cbid)) return false;
  void* const unused = Faults().garbage ? Poison() : nullptr;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = call->function_name;
  data.functionParams = call->params;
  data.functionReturnValue = site == CUPTI_API_EXIT ? call->return_value : unused;
  data.symbolName = call->symbol_name != nullptr ? call->symbol_name : static_cast<const char*>(unused);
  data.context = call->context;
  data.contextUid = call->context_uid;
  data.correlationData = &call->correlation_data;
  data.correlationId = call->correlation_id;
  Dispatch(DomainOf(*call), cbid, &data, call->function_name, site == CUPTI_API_EXIT);
  return true;
}

// One record per kind with a non-empty stack, directly before the API record (cupti_activity.h:8012-8016).
void EmitExternal(const SimgpuApiCall& call) {
  if (!Collecting(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) return;
  const ThreadState& thread = ThisThread();
  for (size_t kind = 1; kind < thread.external.size(); ++kind) {
    if (thread.external[kind].empty()) continue;
    const auto record = MakeExternal(static_cast<CUpti_ExternalCorrelationKind>(kind), thread.external[kind].back(),
                                     call.correlation_id);
    EmitComplete(&record, sizeof(record), call.context_uid);
  }
}

}  // namespace

void OnApiEnter(SimgpuApiCall* call) {
  call->tool[kCbid] = ReportedCbid(*call);
  // What the client's callback takes is no part of the call.
  const bool dispatched = DispatchApi(call, CUPTI_API_ENTER);
  call->tool[kStart] = dispatched ? NowCupti() : JustReadAsCupti(call->enter_ns);
}

void OnApiExit(SimgpuApiCall* call) {
  // Zero start: collection began inside the call, as when a tool is injected inside cuInit. Such a call has no record.
  const auto cbid = static_cast<uint32_t>(call->tool[kCbid]);
  if (call->tool[kStart] != 0 && CollectingApi(DomainOf(*call), cbid, call->context_uid)) {
    const uint64_t end = JustReadAsCupti(call->exit_ns);
    EmitExternal(*call);
    const CUpti_ActivityAPI record = MakeApiRecord(*call, cbid, call->tool[kStart], end);
    EmitComplete(&record, sizeof(record), call->context_uid);
  }
  if (cbid != 0) DispatchApi(call, CUPTI_API_EXIT);
  PlayFatalError();
}

}  // namespace simgpu::cupti
