// Where activity records go: one BufferQueue per thread (or per context), buffers from the client's request callback,
// finished buffers back through its complete callback. Owns the flush rules of cupti_activity.h:7709-7750 and
// 8071-8089, and the worker thread.
//
// Locks, in the order they may nest: delivery lock, queue, buffer. The client's request callback runs with the queue's
// lock held, its complete callback with the delivery lock held, as real CUPTI holds locks of its own there.
#pragma once

#include <cupti.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "simgpu/cupti/activity_buffer.h"
#include "simgpu/cupti/simcupti.h"

namespace simgpu::cupti {

// The buffer that a thread (or a context) writes to now.
class BufferQueue {
 public:
  std::mutex mutex;
  ActivityBuffer* current = nullptr;
  std::vector<ActivityBuffer*> spare;  // fault prefetch
};

enum class FlushMode {
  kFull,      // worker, FlushPeriod: full buffers whose records are all complete
  kComplete,  // FlushAll(0): also partly filled ones, if all their records are complete
  kForced,    // everything, incomplete records included
};

class Recorder {
 public:
  Recorder();

  void SetCallbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
  bool has_callbacks() const { return request_.load() != nullptr; }

  // Places a record of `size` bytes (fault extra_bytes not counted) in the queue of the calling thread, or of
  // `context_id` when attribute 9 is 0. Calling thread, no engine lock: may call the client. A packed Slot for a
  // pending record, or NULL when it was dropped or is complete.
  void* Write(const void* record, size_t size, uint32_t context_id, bool pending);

  // Ends a pending record. Any thread, engine lock held: calls nothing of the client's.
  template <class Fill>
  void Complete(const Slot& slot, Fill fill) {
    // The process is ending: the client may have unmapped its buffers.
    if (shut_down_.load(std::memory_order_relaxed)) return;
    ActivityBuffer& buffer = table_.At(slot.buffer);
    if (!buffer.Complete(slot.offset, fill)) late_completions_.fetch_add(1, std::memory_order_relaxed);
    if (retired_count_.load(std::memory_order_acquire) != 0 && buffer.pending() == 0) WakeWorker();
  }

  void Flush(FlushMode mode);
  void SetFlushPeriod(uint32_t milliseconds);

  // The dropped count since the last call (cupti_activity.h:7519-7533).
  size_t TakeDropped() { return dropped_.exchange(0); }

  // cuptiFinalize: forgets every buffer without returning it, and writes into none any more.
  void Abandon();

  // The client stopped (unsubscribed, or disabled every kind): arms fault write_after_stop.
  void NoteStop();
  void NoteStart() { stopped_.store(false); }
  // The process is ending: the worker rests, and calls nothing more.
  void Shutdown() { shut_down_.store(true); }

  BufferQueue* AcquireQueue();
  void ReleaseQueue(BufferQueue* queue);

  void FillStats(SimcuptiStats* out) const;
  uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  void CountLost() { lost_.fetch_add(1, std::memory_order_relaxed); }
  void CountDropped();

 private:
  BufferQueue& QueueFor(uint32_t context_id);
  ActivityBuffer* Request(BufferQueue& queue);
  ActivityBuffer* RequestOne();
  bool UsableBuffer(const uint8_t* data, size_t size);
  void AppendRequestOverhead(ActivityBuffer& buffer);
  void Retire(ActivityBuffer* buffer, bool full);
  std::vector<ActivityBuffer*> Collect(FlushMode mode);
  void CollectCurrent(FlushMode mode, std::vector<ActivityBuffer*>* out);
  void CollectRetired(FlushMode mode, std::vector<ActivityBuffer*>* out);
  void KeepBack(std::vector<ActivityBuffer*>* buffers);
  void Deliver(const std::vector<ActivityBuffer*>& buffers);
  void CallComplete(const ActivityBuffer::Closed& closed);
  void StartWorker();
  void WakeWorker();
  void WorkerLoop();
  void WriteIntoKept();

  std::atomic<CUpti_BuffersCallbackRequestFunc> request_{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete_{nullptr};
  BufferTable table_;

  std::mutex queues_mutex_;
  std::vector<BufferQueue*> queues_, free_queues_;
  std::vector<BufferQueue*> context_queues_;  // by context id

  std::mutex retired_mutex_;
  std::vector<ActivityBuffer*> retired_;  // full, or left behind by an ended thread; not yet delivered
  std::atomic<size_t> retired_count_{0};
  std::vector<ActivityBuffer*> kept_;  // fault keep

  std::mutex worker_mutex_;
  std::condition_variable worker_wake_;
  bool worker_started_ = false, worker_due_ = false;
  std::atomic<uint32_t> period_ms_{0};
  std::atomic<bool> stopped_{false}, shut_down_{false};

  std::atomic<uint64_t> requested_{0}, declined_{0}, returned_{0}, written_{0}, dropped_total_{0}, lost_{0},
      late_completions_{0}, late_writes_{0};
  std::atomic<size_t> dropped_{0};
};

// The process's recorder; never destroyed.
Recorder& TheRecorder();

}  // namespace simgpu::cupti
