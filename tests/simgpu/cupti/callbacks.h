// The Callback API's state: the one subscriber, what it enabled, and the delivery of callbacks. Only (domain, id) pairs
// that were really enabled are delivered. The subscriber's function runs on the thread that caused it, with that
// thread's callback lock held.
#pragma once

#include <cupti.h>

#include <cstdint>

struct CUpti_Subscriber_st;

namespace simgpu::cupti {

CUptiResult Subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* user, const char* name);
// Name of the subscriber there is, or of the tool in the way; "" if none. `out` gets at most `size` bytes with the
// final 0.
void CopySubscriberName(char* out, size_t size);
// Waits until no other thread runs the subscriber's function.
CUptiResult Unsubscribe(CUpti_SubscriberHandle handle);
bool IsSubscriber(CUpti_SubscriberHandle handle);
// cuptiFinalize: no subscriber, nothing enabled.
void DropSubscriber();

// Whether CUPTI knows the pair at all.
bool ValidDomain(CUpti_CallbackDomain domain);
bool ValidCallback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid);

void SetCallback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, bool enable);
void SetDomain(CUpti_CallbackDomain domain, bool enable);
bool CallbackEnabled(CUpti_CallbackDomain domain, CUpti_CallbackId cbid);
bool AnyCallback(CUpti_CallbackDomain domain);

// Calls the subscriber if it enabled the pair. `name` is shown when the call is still open at a bad moment. No engine
// lock.
void Dispatch(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* data, const char* name, bool api_exit);

// Callbacks open on other threads than the caller's, and one of their names.
int OpenCallbacksElsewhere(const char** name);

uint64_t CallbackCount();

}  // namespace simgpu::cupti
