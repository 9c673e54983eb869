// What CUPTI keeps per application thread: the queue of its activity buffer, external correlation stacks, open
// callbacks, last error. Heap objects, made on a thread's first use; recycled when the thread ends.
#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "simgpu/cupti/patient_mutex.h"

namespace simgpu::cupti {

class BufferQueue;

struct ThreadState {
  uint32_t pthread_id = 0;  // low 32 bits of pthread_self(), the default thread id
  uint32_t system_id = 0;   // gettid()
  BufferQueue* queue = nullptr;
  std::array<std::vector<uint64_t>, CUPTI_EXTERNAL_CORRELATION_KIND_SIZE> external;
  CUptiResult last_error = CUPTI_SUCCESS;

  // Held while the subscriber's function runs on this thread: the real lock that cuptiUnsubscribe waits for.
  PatientMutex callback_mutex;
  std::atomic<const char*> in_callback{nullptr};  // API or resource name while the subscriber runs
  bool in_api_exit = false;                       // ... and it is an API-exit callback
  uint64_t request_start = 0, request_end = 0;    // CUPTI times of the last request callback
  const char* in_buffer_callback = nullptr;       // "request" or "complete" while the client's buffer function runs
};

// The calling thread's state.
ThreadState& ThisThread();

// Calls `use` with every living thread's state but the caller's. Holds no lock meanwhile.
void ForEachOtherThread(void (*use)(ThreadState& other, void* user), void* user);

}  // namespace simgpu::cupti
