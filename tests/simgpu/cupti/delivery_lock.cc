#include "simgpu/cupti/delivery_lock.h"

#include <atomic>

#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/patient_mutex.h"
#include "simgpu/cupti/violations.h"

namespace simgpu::cupti {
namespace {

struct Lock {
  PatientMutex mutex;
  std::atomic<const char*> holder{nullptr};  // the function that took it last
};

// Made anew in a forked child.
std::atomic<Lock*> g_lock{new Lock};

}  // namespace

DeliveryLock::DeliveryLock(const char* function) {
  Lock& lock = *g_lock.load();
  const int64_t patience = Faults().deadlock_ms;
  if (!lock.mutex.LockWithin(patience)) {
    const char* holder = lock.holder.load();
    ReportViolation(
        "%s has waited %lld ms for CUPTI's lock, which %s holds while the client's buffer callback runs: lock-order "
        "inversion?",
        function, static_cast<long long>(patience), holder != nullptr ? holder : "another thread");
    lock.mutex.lock();
  }
  lock.holder.store(function);
}

DeliveryLock::~DeliveryLock() { g_lock.load()->mutex.unlock(); }

void DeliveryLock::AfterFork() { g_lock.store(new Lock); }

}  // namespace simgpu::cupti
