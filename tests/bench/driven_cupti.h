// DrivenCupti: a CUPTI for benchmarks that does nothing but keep the two buffer call-backs, which we call ourselves.
#pragma once

#include "cupti_buffers.h"

namespace slowtoken::bench {

inline CUpti_BuffersCallbackRequestFunc g_request;
inline CUpti_BuffersCallbackCompleteFunc g_complete;

inline cupti::ApiTable DrivenCupti() {
  cupti::ApiTable api;
  api.get_version = [](uint32_t* version) { return *version = CUPTI_API_VERSION, CUPTI_SUCCESS; };
  api.register_callbacks = [](CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
    g_request = request;
    g_complete = complete;
    return CUPTI_SUCCESS;
  };
  api.set_attribute = [](CUpti_ActivityAttribute, size_t*, void*) { return CUPTI_SUCCESS; };
  api.set_thread_id_type = [](CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; };
  api.subscribe = [](CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) { return CUPTI_SUCCESS; };
  api.unsubscribe = [](CUpti_SubscriberHandle) { return CUPTI_SUCCESS; };
  api.get_callback_name = [](CUpti_CallbackDomain, uint32_t, const char** name) {
    return *name = "cudaLaunchKernel_v7000", CUPTI_SUCCESS;
  };
  api.enable = [](CUpti_ActivityKind) { return CUPTI_SUCCESS; };
  api.enable_runtime_api = [](CUpti_CallbackId, uint8_t) { return CUPTI_SUCCESS; };
  api.enable_driver_api = [](CUpti_CallbackId, uint8_t) { return CUPTI_SUCCESS; };
  api.get_next_record = Stepper();
  api.flush_all = [](uint32_t) { return CUPTI_SUCCESS; };
  api.get_num_dropped = [](CUcontext, uint32_t, size_t* dropped) { return *dropped = 0, CUPTI_SUCCESS; };
  return api;
}

}  // namespace slowtoken::bench
