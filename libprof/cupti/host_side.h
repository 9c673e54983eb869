// HostSide: everything of this folder that host threads and CUPTI's own threads touch, and the call-backs through which
// they do. CUPTI's buffer call-backs carry no user data, so there is one HostSide a process, reached through a global
// pointer. Every call-back: no lock, no system call, no memory, errno kept, no CUPTI call.
#pragma once

#include <pthread.h>

#include <atomic>

#include "cupti/api_table.h"
#include "cupti/buffer_pool.h"

namespace slowtoken::cupti {

struct HostSide {
  BufferPool pool;
  ApiTable api;
  bool null_buffer = false;            // a request may be answered with none
  std::atomic<bool> forgotten{false};  // in a forked child: nothing of CUPTI may be called

  // The thread that makes the probe calls (probe_call.h), and the buffer it was lent last.
  std::atomic<pthread_t> prober{};
  std::atomic<uint8_t*> probe_buffer{nullptr};

  // What the call-backs took, in raw stamps: one in kTimedCall is timed.
  static constexpr uint32_t kTimedCall = 8;
  std::atomic<uint64_t> timed{0};
  uint64_t HostTime() const { return timed.load(std::memory_order_relaxed) * kTimedCall; }

  // Makes `side` the one the call-backs use. It must live as long as the process.
  static void Install(HostSide* side);

  bool active() const { return !forgotten.load(std::memory_order_acquire); }

  // CUPTI's clock, for ClockMap::Take: 0 and a stamp, or not 0 when there is no CUPTI to ask (any more). Any thread.
  static uint32_t Now(uint64_t* stamp);

  // What CUPTI calls.
  static void BufferRequested(uint8_t** buffer, size_t* size, size_t* max_records);
  static void BufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid_bytes);
};

}  // namespace slowtoken::cupti
