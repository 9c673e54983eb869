// ApiTable: the CUPTI functions we use, found at run time. There is no link dependency: a process without CUPTI gets a
// table without functions. Every pointer may be null; callers check. Plain data, filled once by the starting thread and
// read by any thread afterwards. Tests fill it with their own functions.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace slowtoken::cupti {

// CUpti_SubscriberParams of cupti_callbacks.h (CUDA 13.0), stated here because headers before 13.0 lack it.
struct SubscriberParams {
  size_t struct_size = sizeof(SubscriberParams);
  const char* subscriber_name = nullptr;  // at most 53 bytes
  char* old_subscriber_name = nullptr;    // out: the tool in the way, when the subscription is refused with 39
  size_t old_subscriber_size = 0;         // at least 64
};
#if CUPTI_API_VERSION >= 130000
static_assert(sizeof(SubscriberParams) == sizeof(CUpti_SubscriberParams));
static_assert(offsetof(SubscriberParams, old_subscriber_name) == offsetof(CUpti_SubscriberParams, oldSubscriberName));
#endif

using SubscribeV2 = CUptiResult (*)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, SubscriberParams*);

using EnableCall = CUptiResult (*)(CUpti_CallbackId, uint8_t);

// X(field, type, symbol)
#define SLOWTOKEN_CUPTI_FUNCTIONS(X)                                                                 \
  X(get_version, decltype(&cuptiGetVersion), "cuptiGetVersion")                                      \
  X(get_timestamp, decltype(&cuptiGetTimestamp), "cuptiGetTimestamp")                                \
  X(subscribe, decltype(&cuptiSubscribe), "cuptiSubscribe")                                          \
  X(subscribe_v2, SubscribeV2, "cuptiSubscribe_v2")                                                  \
  X(unsubscribe, decltype(&cuptiUnsubscribe), "cuptiUnsubscribe")                                    \
  X(get_callback_name, decltype(&cuptiGetCallbackName), "cuptiGetCallbackName")                      \
  X(set_attribute, decltype(&cuptiActivitySetAttribute), "cuptiActivitySetAttribute")                \
  X(set_thread_id_type, decltype(&cuptiSetThreadIdType), "cuptiSetThreadIdType")                     \
  X(register_callbacks, decltype(&cuptiActivityRegisterCallbacks), "cuptiActivityRegisterCallbacks") \
  X(enable, decltype(&cuptiActivityEnable), "cuptiActivityEnable")                                   \
  X(enable_and_dump, decltype(&cuptiActivityEnableAndDump), "cuptiActivityEnableAndDump")            \
  X(enable_runtime_api, EnableCall, "cuptiActivityEnableRuntimeApi")                                 \
  X(enable_driver_api, EnableCall, "cuptiActivityEnableDriverApi")                                   \
  X(get_next_record, decltype(&cuptiActivityGetNextRecord), "cuptiActivityGetNextRecord")            \
  X(flush_all, decltype(&cuptiActivityFlushAll), "cuptiActivityFlushAll")                            \
  X(get_num_dropped, decltype(&cuptiActivityGetNumDroppedRecords), "cuptiActivityGetNumDroppedRecords")

struct ApiTable {
#define SLOWTOKEN_CUPTI_FIELD(field, type, symbol) type field = nullptr;
  SLOWTOKEN_CUPTI_FUNCTIONS(SLOWTOKEN_CUPTI_FIELD)
#undef SLOWTOKEN_CUPTI_FIELD

  // Fills the table from an open libcupti (a dlopen handle). Functions it lacks stay null.
  static ApiTable FromHandle(void* handle);

  // cuptiGetVersion's answer, 0 if there is none.
  uint32_t Version() const;
};

}  // namespace slowtoken::cupti
