// HostSide: everything of this folder that host threads and CUPTI's own threads touch, and the call-backs through which
// they do. CUPTI's buffer call-backs carry no user data, so there is one HostSide a process, reached through a global
// pointer. Every call-back: no lock, no system call but gettid (graph building only), no memory, errno kept, no CUPTI
// call but cuptiGetGraphExecId (when a graph is instantiated or destroyed).
#pragma once

#include <atomic>

#include "cupti/api_table.h"
#include "cupti/buffer_pool.h"
#include "cupti/graph_notes.h"

namespace slowtoken::cupti {

struct HostSide {
  enum class State : int { kActive, kLost, kForgotten };

  BufferPool pool;
  GraphNotes notes;
  ApiTable api;
  bool null_buffer = false;  // a request may be answered with none
  std::atomic<State> state{State::kActive};
  // The fatal error: valid once state is kLost.
  std::atomic<bool> fatal_seen{false};
  int32_t fatal_error = 0;
  char fatal_message[160] = {};

  // Makes `side` the one the call-backs use. It must live as long as the process.
  static void Install(HostSide* side);

  bool active() const { return state.load(std::memory_order_acquire) == State::kActive; }

  // CUPTI's clock, for ClockMap::Take: 0 and a stamp, or not 0 when there is no CUPTI to ask (any more). Any thread.
  static uint32_t Now(uint64_t* stamp);

  // What CUPTI calls.
  static void BufferRequested(uint8_t** buffer, size_t* size, size_t* max_records);
  static void BufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid_bytes);
  static void OnCallback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
};

}  // namespace slowtoken::cupti
