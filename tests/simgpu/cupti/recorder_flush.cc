// Recorder: handing buffers back. Flush rules (cupti_activity.h:7709-7750, 8071-8089), the worker thread, and the
// faults that disturb both.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "simgpu/cupti/clock.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/delivery_lock.h"
#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/record_shuffle.h"
#include "simgpu/cupti/recorder.h"
#include "simgpu/cupti/records.h"
#include "simgpu/cupti/thread_state.h"

namespace simgpu::cupti {
namespace {

constexpr uint32_t kBusyWakeMs = 10, kIdleWakeMs = 100;
constexpr int kStopMark = 0xee;  // what fault write_after_stop writes

}  // namespace

void SleepMs(int64_t milliseconds) {
  if (milliseconds > 0) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void Recorder::Flush(FlushMode mode) {
  if (complete_.load() == nullptr) return;
  // What has ended by now counts as complete. Before our lock: completions take the buffers' locks under the engine's.
  if (const SimgpuEngineApi* engine = ConnectedEngine()) engine->pump();
  const DeliveryLock lock(mode == FlushMode::kFull ? "CUPTI's worker" : "cuptiActivityFlushAll");
  const uint64_t start = NowCupti();
  const std::vector<ActivityBuffer*> buffers = Collect(mode);
  size_t records = 0;
  for (const ActivityBuffer* buffer : buffers) records += buffer->records();
  Deliver(buffers);
  // A flush that returned nothing but the last flush's own record has no overhead worth one.
  if (records <= 1 || mode == FlushMode::kFull || !Collecting(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  const auto overhead = MakeOverhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, start, NowCupti());
  Write(&overhead, sizeof(overhead), 0, /*pending=*/false);
}

std::vector<ActivityBuffer*> Recorder::Collect(FlushMode mode) {
  std::vector<ActivityBuffer*> buffers;
  CollectRetired(mode, &buffers);
  if (mode != FlushMode::kFull) CollectCurrent(mode, &buffers);
  KeepBack(&buffers);
  return buffers;
}

void Recorder::CollectRetired(FlushMode mode, std::vector<ActivityBuffer*>* out) {
  const std::lock_guard lock(retired_mutex_);
  const auto wanted = [mode](const ActivityBuffer* buffer) {
    if (mode == FlushMode::kForced) return true;
    if (buffer->pending() != 0) return false;
    return buffer->full || mode == FlushMode::kComplete;
  };
  const auto ready = std::count_if(retired_.begin(), retired_.end(), wanted);
  if (mode != FlushMode::kForced && ready <= Faults().delay_complete) return;
  std::erase_if(retired_, [&](ActivityBuffer* buffer) {
    if (!wanted(buffer)) return false;
    out->push_back(buffer);
    return true;
  });
  retired_count_.store(retired_.size(), std::memory_order_release);
}

void Recorder::CollectCurrent(FlushMode mode, std::vector<ActivityBuffer*>* out) {
  if (mode == FlushMode::kComplete && Faults().withhold_partial) return;
  std::vector<BufferQueue*> queues;
  {
    const std::lock_guard lock(queues_mutex_);
    queues = queues_;
  }
  for (BufferQueue* queue : queues) {
    const std::lock_guard lock(queue->mutex);
    ActivityBuffer* buffer = queue->current;
    if (buffer == nullptr) continue;
    const bool take = mode == FlushMode::kForced || (buffer->records() != 0 && buffer->pending() == 0);
    if (!take) continue;
    out->push_back(buffer);
    queue->current = nullptr;
  }
}

// Fault keep: the first so many buffers never come back.
void Recorder::KeepBack(std::vector<ActivityBuffer*>* buffers) {
  const std::lock_guard lock(retired_mutex_);
  while (!buffers->empty() && static_cast<int64_t>(kept_.size()) < Faults().keep) {
    kept_.push_back(buffers->front());
    buffers->erase(buffers->begin());
  }
}

void Recorder::Deliver(const std::vector<ActivityBuffer*>& buffers) {
  std::vector<ActivityBuffer::Closed> closed;
  closed.reserve(buffers.size());
  for (ActivityBuffer* buffer : buffers) closed.push_back(buffer->Close());
  ShuffleRecords(&closed);
  for (const ActivityBuffer::Closed& memory : closed) CallComplete(memory);
  for (ActivityBuffer* buffer : buffers) table_.Recycle(buffer);
}

// Context and stream arguments are NULL and 0 since CUDA 6.0 (cupti_activity.h:7630-7635).
void Recorder::CallComplete(const ActivityBuffer::Closed& closed) {
  ThreadState& thread = ThisThread();
  thread.in_buffer_callback = "complete";
  SleepMs(Faults().slow_complete_ms);
  returned_.fetch_add(1, std::memory_order_relaxed);
  complete_.load()(nullptr, 0, closed.data, closed.size, closed.valid);
  thread.in_buffer_callback = nullptr;
}

void Recorder::SetFlushPeriod(uint32_t milliseconds) {
  period_ms_.store(milliseconds);
  StartWorker();
  WakeWorker();
}

void Recorder::NoteStop() {
  stopped_.store(true);
  if (Faults().write_after_stop >= 0) StartWorker();
}

void Recorder::StartWorker() {
  const std::lock_guard lock(worker_mutex_);
  if (worker_started_) return;
  worker_started_ = true;
  // The worker takes none of the host's signals.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread([this] { WorkerLoop(); }).detach();
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void Recorder::WakeWorker() {
  {
    const std::lock_guard lock(worker_mutex_);
    worker_due_ = true;
  }
  worker_wake_.notify_one();
}

void Recorder::WorkerLoop() {
  pthread_setname_np(pthread_self(), "simcupti");
  auto next_write = std::chrono::steady_clock::now();
  for (;;) {
    const uint32_t period = period_ms_.load();
    {
      std::unique_lock lock(worker_mutex_);
      const bool busy = retired_count_.load() != 0 || Faults().write_after_stop >= 0;
      const auto wait = std::chrono::milliseconds(period != 0 ? period : busy ? kBusyWakeMs : kIdleWakeMs);
      // A period overrides the heuristics: full buffers wait for it.
      worker_wake_.wait_for(lock, wait, [&] { return worker_due_ && period_ms_.load() == 0; });
      worker_due_ = false;
    }
    if (shut_down_.load()) continue;
    if (period_ms_.load() == period && retired_count_.load() != 0) Flush(FlushMode::kFull);
    if (Faults().write_after_stop < 0 || !stopped_.load() || std::chrono::steady_clock::now() < next_write) continue;
    WriteIntoKept();
    next_write = std::chrono::steady_clock::now() + std::chrono::milliseconds(Faults().write_after_stop);
  }
}

// What CUPTI may do with every buffer it has not given back: write. Kept buffers are overwritten whole, others past
// their records.
void Recorder::WriteIntoKept() {
  const std::lock_guard lock(retired_mutex_);
  for (ActivityBuffer* buffer : kept_) {
    std::memset(buffer->data(), kStopMark, buffer->size());
    late_writes_.fetch_add(1);
  }
  const std::lock_guard queues_lock(queues_mutex_);
  for (BufferQueue* queue : queues_) {
    const std::lock_guard queue_lock(queue->mutex);
    for (ActivityBuffer* buffer : queue->spare) {
      std::memset(buffer->data(), kStopMark, buffer->size());
      late_writes_.fetch_add(1);
    }
    if (queue->current == nullptr) continue;
    queue->current->ScribblePastEnd(kStopMark);
    late_writes_.fetch_add(1);
  }
}

}  // namespace simgpu::cupti
