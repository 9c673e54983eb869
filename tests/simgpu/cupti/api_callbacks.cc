// The exported Callback API (cupti_callbacks.h), and cuptiFinalize.
#include <cupti.h>

#include "simgpu/cupti/callbacks.h"
#include "simgpu/cupti/delivery_lock.h"
#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/entry.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/lifecycle.h"
#include "simgpu/cupti/thread_state.h"
#include "simgpu/cupti/violations.h"

using namespace simgpu::cupti;  // NOLINT: this file is nothing but the C surface of that namespace

namespace {

constexpr uint32_t kControl = kNeedsDriver | kNotInBufferCallback;

CUpti_CallbackDomain g_domains[] = {CUPTI_CB_DOMAIN_DRIVER_API,  CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_RESOURCE,
                                    CUPTI_CB_DOMAIN_SYNCHRONIZE, CUPTI_CB_DOMAIN_NVTX,        CUPTI_CB_DOMAIN_STATE};

}  // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user) {
  SIMCUPTI_ENTER(cuptiSubscribe, kControl);
  if (subscriber == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  const DeliveryLock lock("cuptiSubscribe");
  const CUptiResult result = Subscribe(subscriber, callback, user, nullptr);
  if (result == CUPTI_SUCCESS) NoteSubscribedV2(false);
  return Done(result);
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user,
                              CUpti_SubscriberParams* params) {
  SIMCUPTI_ENTER(cuptiSubscribe_v2, kControl);
  if (subscriber == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  if (params != nullptr && params->structSize < CUpti_SubscriberParams_STRUCT_SIZE)
    return Done(CUPTI_ERROR_INVALID_PARAMETER);
  const DeliveryLock lock("cuptiSubscribe_v2");
  const CUptiResult result =
      Subscribe(subscriber, callback, user, params != nullptr ? params->subscriberName : nullptr);
  if (result == CUPTI_SUCCESS) NoteSubscribedV2(true);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && params != nullptr) {
    CopySubscriberName(params->oldSubscriberName, params->oldSubscriberSize);
  }
  return Done(result);
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  SIMCUPTI_ENTER(cuptiUnsubscribe, kControl);
  return Done(Unsubscribe(subscriber));
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId cbid) {
  SIMCUPTI_ENTER(cuptiEnableCallback, kControl);
  if (!IsSubscriber(subscriber) || !ValidCallback(domain, cbid)) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  SetCallback(domain, cbid, enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
  SIMCUPTI_ENTER(cuptiEnableDomain, kControl);
  if (!IsSubscriber(subscriber) || !ValidDomain(domain)) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  SetDomain(domain, enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  SIMCUPTI_ENTER(cuptiEnableAllDomains, kControl);
  if (!IsSubscriber(subscriber)) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  for (const CUpti_CallbackDomain domain : g_domains) SetDomain(domain, enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackState(uint32_t* enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                  CUpti_CallbackId cbid) {
  SIMCUPTI_ENTER(cuptiGetCallbackState, kNeedsDriver);
  if (enable == nullptr || !IsSubscriber(subscriber) || !ValidCallback(domain, cbid))
    return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *enable = CallbackEnabled(domain, cbid) ? 1 : 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSupportedDomains(size_t* count, CUpti_DomainTable* table) {
  SIMCUPTI_ENTER(cuptiSupportedDomains, kNeedsNothing);
  if (count == nullptr || table == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *count = sizeof(g_domains) / sizeof(g_domains[0]);
  *table = g_domains;
  return CUPTI_SUCCESS;
}

// As the 13.0 library answers: API domains only; id 0 is "INVALID". The names come with the simulated driver.
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char** name) {
  SIMCUPTI_ENTER(cuptiGetCallbackName, kNeedsDriver);
  if (name == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *name = nullptr;
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API)
    return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *name = cbid == 0 ? "INVALID" : Engine()->api_name(static_cast<uint32_t>(domain), cbid);
  return Done(*name != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}

CUptiResult cuptiFinalize(void) {
  SIMCUPTI_ENTER(cuptiFinalize, kControl);
  const char* open = nullptr;
  if (Faults().finalize_abort) {
    const int elsewhere = OpenCallbacksElsewhere(&open);
    const ThreadState& thread = ThisThread();
    const char* own = thread.in_callback.load();
    if (elsewhere != 0) Die("cuptiFinalize while %d callbacks are open on other threads (%s)", elsewhere, open);
    if (own != nullptr && !thread.in_api_exit)
      Die("cuptiFinalize from inside the callback of %s, which is not an API exit", own);
  }
  const DeliveryLock lock("cuptiFinalize");
  Detach();
  return CUPTI_SUCCESS;
}

}  // extern "C"
