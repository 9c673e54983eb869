#include "cupti/probe_call.h"

#include <dlfcn.h>

#include <utility>

namespace slowtoken::cupti {

static_assert(ProbeCall::kCallbackId == CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion);

ProbeCall::Call ProbeCall::Find() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<Call>(dlsym(driver, "cuDriverGetVersion"));
}

// True if any thread has been asked through our call-back since the last look.
bool ProbeCall::Moved(const HostSide& host) {
  const uint32_t requests = host.pool.requests();
  return std::exchange(requests_, requests) != requests;
}

ProbeCall::Verdict ProbeCall::Ask(HostSide& host) {
  // A flush may leave a record of its own on this thread, and so a buffer: it serves as well as a call's.
  host.prober.store(pthread_self(), std::memory_order_relaxed);
  const bool asked = Moved(host);
  if (buffer_ != nullptr && !host.pool.IsLent(buffer_) && !Trained()) ++round_trips_;
  LookAtBuffer(host);
  if (asked || buffer_ == nullptr) stuck_ = 0;
  const bool given_up = call_ == nullptr || failures_ >= kMostFailures;
  if (asked || given_up) unanswered_ = 0;
  if (given_up) return asked ? Verdict::kOurs : Verdict::kUnknown;
  if (Trained() && asked) return Verdict::kOurs;
  const bool out = buffer_ != nullptr;
  if (!out) {  // else another call would only be added to it
    int version = 0;
    call_(&version);
    LookAtBuffer(host);
    if (Moved(host)) {
      unanswered_ = 0;
      return Verdict::kOurs;
    }
  }
  if (Trained() && !out) return Verdict::kNotOurs;
  if (Trained()) return ++stuck_ < kMostStuck ? Verdict::kUnknown : Verdict::kNotOurs;
  ++failures_;
  if (asked) return Verdict::kOurs;
  ++unanswered_;
  return Verdict::kUnknown;
}

void ProbeCall::LookAtBuffer(const HostSide& host) {
  const uint8_t* last = host.probe_buffer.load(std::memory_order_relaxed);
  buffer_ = host.pool.IsLent(last) ? last : nullptr;
}

}  // namespace slowtoken::cupti
