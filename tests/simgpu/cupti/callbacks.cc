#include "simgpu/cupti/callbacks.h"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "simgpu/cupti/bitmap.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/recorder.h"
#include "simgpu/cupti/thread_state.h"
#include "simgpu/cupti/violations.h"

// The handle clients see.
struct CUpti_Subscriber_st {
  CUpti_CallbackFunc function = nullptr;
  void* user = nullptr;
  std::string name;
};

namespace simgpu::cupti {
namespace {

struct State {
  std::atomic<CUpti_Subscriber_st*> subscriber{nullptr};  // old ones are leaked: a callback may still be on its way
  std::array<ApiBitmap, CUPTI_CB_DOMAIN_SIZE> enabled;
  std::atomic<uint64_t> delivered{0};
  std::mutex mutex;  // guards subscriber->name
};

State& TheState() {
  static auto* state = new State;
  return *state;
}

uint32_t IdCount(CUpti_CallbackDomain domain) {
  switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API:
      return CUPTI_DRIVER_TRACE_CBID_SIZE;
    case CUPTI_CB_DOMAIN_RUNTIME_API:
      return CUPTI_RUNTIME_TRACE_CBID_SIZE;
    case CUPTI_CB_DOMAIN_RESOURCE:
      return CUPTI_CBID_RESOURCE_SIZE;
    case CUPTI_CB_DOMAIN_SYNCHRONIZE:
      return CUPTI_CBID_SYNCHRONIZE_SIZE;
    case CUPTI_CB_DOMAIN_NVTX:
      return CUPTI_CBID_NVTX_SIZE;
    case CUPTI_CB_DOMAIN_STATE:
      return CUPTI_CBID_STATE_SIZE;
    default:
      return 0;
  }
}

void WaitForCallback(ThreadState& other, void*) {
  const int64_t patience = Faults().deadlock_ms;
  if (!other.callback_mutex.LockWithin(patience)) {
    const char* open = other.in_callback.load();
    ReportViolation("cuptiUnsubscribe has waited %lld ms for the callback of %s on another thread",
                    static_cast<long long>(patience), open != nullptr ? open : "?");
    other.callback_mutex.lock();
  }
  other.callback_mutex.unlock();
}

}  // namespace

CUptiResult Subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* user, const char* name) {
  if (!Faults().other_tool.empty()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  if (state.subscriber.load() != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  auto* subscriber = new CUpti_Subscriber_st{function, user, ""};
  // CUPTI's own prefix and limit: cupti_callbacks.h:727-731.
  if (name != nullptr) subscriber->name = "CUPTI for " + std::string(name).substr(0, CUPTI_SUBSCRIBER_NAME_MAX_LEN);
  state.subscriber.store(subscriber);
  *handle = subscriber;
  TheRecorder().NoteStart();
  return CUPTI_SUCCESS;
}

void CopySubscriberName(char* out, size_t size) {
  if (out == nullptr || size == 0) return;
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  std::string name = Faults().other_tool;
  if (const CUpti_Subscriber_st* subscriber = state.subscriber.load(); name.empty() && subscriber != nullptr) {
    name = subscriber->name.empty() ? "CUPTI" : subscriber->name;
  }
  std::strncpy(out, name.c_str(), size - 1);
  out[size - 1] = '\0';
}

bool IsSubscriber(CUpti_SubscriberHandle handle) { return handle != nullptr && TheState().subscriber.load() == handle; }

CUptiResult Unsubscribe(CUpti_SubscriberHandle handle) {
  if (!IsSubscriber(handle)) return CUPTI_ERROR_INVALID_PARAMETER;
  DropSubscriber();
  ForEachOtherThread(WaitForCallback, nullptr);
  TheRecorder().NoteStop();
  return CUPTI_SUCCESS;
}

void DropSubscriber() {
  State& state = TheState();
  state.subscriber.store(nullptr);
  for (ApiBitmap& bitmap : state.enabled) bitmap.SetAll(false);
  UpdateWanted();
}

bool ValidDomain(CUpti_CallbackDomain domain) {
  return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE;
}

bool ValidCallback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  return ValidDomain(domain) && cbid != 0 && cbid < IdCount(domain);
}

void SetCallback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, bool enable) {
  TheState().enabled[domain].Set(cbid, enable);
  UpdateWanted();
}

void SetDomain(CUpti_CallbackDomain domain, bool enable) {
  TheState().enabled[domain].SetAll(enable);
  UpdateWanted();
}

bool CallbackEnabled(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  return TheState().enabled[domain].Test(cbid);
}

bool AnyCallback(CUpti_CallbackDomain domain) { return TheState().enabled[domain].any(); }

void Dispatch(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* data, const char* name, bool api_exit) {
  if (!CallbackEnabled(domain, cbid)) return;
  State& state = TheState();
  ThreadState& thread = ThisThread();
  const std::lock_guard lock(thread.callback_mutex);
  const CUpti_Subscriber_st* subscriber = state.subscriber.load();
  if (subscriber == nullptr || subscriber->function == nullptr) return;
  const auto delivered = static_cast<int64_t>(state.delivered.fetch_add(1, std::memory_order_relaxed));
  if (Faults().lose_callbacks_after >= 0 && delivered >= Faults().lose_callbacks_after) return;
  const char* outer = thread.in_callback.exchange(name);
  const bool outer_exit = std::exchange(thread.in_api_exit, api_exit);
  subscriber->function(subscriber->user, domain, cbid, data);
  thread.in_api_exit = outer_exit;
  thread.in_callback.store(outer);
}

int OpenCallbacksElsewhere(const char** name) {
  struct Found {
    int count = 0;
    const char* name = nullptr;
  } found;
  ForEachOtherThread(
      [](ThreadState& other, void* user) {
        const char* open = other.in_callback.load();
        if (open == nullptr) return;
        ++static_cast<Found*>(user)->count;
        static_cast<Found*>(user)->name = open;
      },
      &found);
  *name = found.name;
  return found.count;
}

uint64_t CallbackCount() { return TheState().delivered.load(); }

}  // namespace simgpu::cupti
