// The lock CUPTI holds while the client's complete callback runs, and takes in the calls that change or read collection
// state. Waiting for it longer than fault cupti.deadlock_ms is reported as a lock-order inversion, with both ends
// named.
#pragma once

namespace simgpu::cupti {

class DeliveryLock {
 public:
  // `function` = the CUPTI function that wants it; static storage. The same thread may enter again (a client may ask
  // for the dropped count inside its complete callback, as NVIDIA's samples do).
  explicit DeliveryLock(const char* function);
  ~DeliveryLock();
  DeliveryLock(const DeliveryLock&) = delete;
  DeliveryLock& operator=(const DeliveryLock&) = delete;

  // After fork, in the child: the lock may be held by a thread that no longer exists.
  static void AfterFork();
};

}  // namespace simgpu::cupti
