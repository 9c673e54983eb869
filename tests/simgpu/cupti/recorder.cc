#include "simgpu/cupti/recorder.h"

#include <cstring>
#include <utility>

#include "simgpu/cupti/attributes.h"
#include "simgpu/cupti/clock.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/records.h"
#include "simgpu/cupti/simcupti.h"
#include "simgpu/cupti/thread_state.h"
#include "simgpu/cupti/violations.h"

namespace simgpu::cupti {
namespace {

constexpr size_t kMaxRecordBytes = 512;

}  // namespace

Recorder& TheRecorder() {
  static auto* recorder = new Recorder;
  return *recorder;
}

Recorder::Recorder() = default;

void Recorder::SetCallbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
  complete_.store(complete);
  request_.store(request);
}

BufferQueue* Recorder::AcquireQueue() {
  const std::lock_guard lock(queues_mutex_);
  if (!free_queues_.empty()) {
    BufferQueue* queue = free_queues_.back();
    free_queues_.pop_back();
    return queue;
  }
  queues_.push_back(new BufferQueue);
  return queues_.back();
}

void Recorder::ReleaseQueue(BufferQueue* queue) {
  ActivityBuffer* left = nullptr;
  {
    const std::lock_guard lock(queue->mutex);
    left = std::exchange(queue->current, nullptr);
  }
  if (left != nullptr) Retire(left, /*full=*/false);
  const std::lock_guard lock(queues_mutex_);
  free_queues_.push_back(queue);
}

BufferQueue& Recorder::QueueFor(uint32_t context_id) {
  if (Attributes().per_thread_buffers()) return *ThisThread().queue;
  const std::lock_guard lock(queues_mutex_);
  if (context_queues_.size() <= context_id) context_queues_.resize(context_id + 1);
  BufferQueue*& queue = context_queues_[context_id];
  if (queue == nullptr) {
    queue = new BufferQueue;
    queues_.push_back(queue);
  }
  return *queue;
}

void* Recorder::Write(const void* record, size_t size, uint32_t context_id, bool pending) {
  if (!has_callbacks() || shut_down_.load(std::memory_order_relaxed)) return nullptr;
  alignas(8) uint8_t staged[kMaxRecordBytes];
  const auto extra = static_cast<size_t>(Faults().extra_bytes);
  if (extra != 0) {
    std::memcpy(staged, record, size);
    std::memset(staged + size, 0xa5, extra);
    record = staged;
    size += extra;
  }
  const bool repeat = Faults().repeat.classes != 0 && Hit(Faults().repeat, ClassOfRecord(record));
  BufferQueue& queue = QueueFor(context_id);
  const std::lock_guard lock(queue.mutex);
  // Twice: the buffer at hand may be full. A new buffer that cannot take even one record is too small: dropped.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const bool fresh = queue.current == nullptr;
    if (fresh) queue.current = Request(queue);
    if (queue.current == nullptr) break;
    Slot slot{queue.current->index(), 0, *static_cast<const uint8_t*>(record)};
    if (queue.current->Append(record, size, pending, repeat, &slot.offset)) {
      written_.fetch_add(1, std::memory_order_relaxed);
      if (fresh) AppendRequestOverhead(*queue.current);
      if (queue.current->AtRecordLimit()) Retire(std::exchange(queue.current, nullptr), /*full=*/true);
      return pending ? slot.Pack() : nullptr;
    }
    Retire(std::exchange(queue.current, nullptr), /*full=*/true);
  }
  CountDropped();
  return nullptr;
}

// What the request just made cost the application's thread; second in the new buffer.
void Recorder::AppendRequestOverhead(ActivityBuffer& buffer) {
  if (!Collecting(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  const ThreadState& thread = ThisThread();
  const auto overhead =
      MakeOverhead(CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, thread.request_start, thread.request_end);
  uint64_t offset = 0;
  if (Faults().extra_bytes == 0)
    buffer.Append(&overhead, sizeof(overhead), /*pending=*/false, /*repeat=*/false, &offset);
}

void Recorder::CountDropped() {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  dropped_total_.fetch_add(1, std::memory_order_relaxed);
}

ActivityBuffer* Recorder::Request(BufferQueue& queue) {
  if (queue.spare.empty()) {
    for (int64_t i = 0; i < std::max<int64_t>(Faults().prefetch, 1); ++i) {
      if (ActivityBuffer* buffer = RequestOne()) queue.spare.push_back(buffer);
    }
  }
  if (queue.spare.empty()) return nullptr;
  ActivityBuffer* buffer = queue.spare.back();
  queue.spare.pop_back();
  return buffer;
}

ActivityBuffer* Recorder::RequestOne() {
  uint8_t* data = nullptr;
  size_t size = 0;
  size_t max_records = 0;
  ThreadState& thread = ThisThread();
  thread.request_start = NowCupti();
  thread.in_buffer_callback = "request";
  SleepMs(Faults().slow_request_ms);
  request_.load()(&data, &size, &max_records);
  thread.in_buffer_callback = nullptr;
  thread.request_end = NowCupti();
  requested_.fetch_add(1, std::memory_order_relaxed);
  if (!UsableBuffer(data, size)) {
    declined_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  ActivityBuffer* buffer = table_.Take();
  if (buffer == nullptr) Die("more than %u activity buffers outstanding", BufferTable::kCapacity);
  if (Attributes().zero_buffers()) std::memset(data, 0, size);
  buffer->Open(data, size, max_records);
  return buffer;
}

// NULL declines (cupti_activity.h:7593), which below API version 27 (CUDA 12.9) crashes real CUPTI.
bool Recorder::UsableBuffer(const uint8_t* data, size_t size) {
  if (data == nullptr || size == 0) {
    if (ReportedVersion() < 27)
      Die("the client returned a NULL activity buffer; CUPTI API version %u crashes on that", ReportedVersion());
    return false;
  }
  if (reinterpret_cast<uintptr_t>(data) % ACTIVITY_RECORD_ALIGNMENT != 0) {
    ReportViolation("activity buffer %p is not aligned to %d bytes", static_cast<const void*>(data),
                    ACTIVITY_RECORD_ALIGNMENT);
    return false;
  }
  return true;
}

void Recorder::Retire(ActivityBuffer* buffer, bool full) {
  buffer->full = full;
  {
    const std::lock_guard lock(retired_mutex_);
    retired_.push_back(buffer);
    retired_count_.store(retired_.size(), std::memory_order_release);
  }
  StartWorker();
  if (buffer->pending() == 0) WakeWorker();
}

void Recorder::Abandon() {
  std::vector<ActivityBuffer*> buffers;
  {
    const std::lock_guard lock(queues_mutex_);
    for (BufferQueue* queue : queues_) {
      const std::lock_guard queue_lock(queue->mutex);
      if (queue->current != nullptr) buffers.push_back(std::exchange(queue->current, nullptr));
      buffers.insert(buffers.end(), queue->spare.begin(), queue->spare.end());
      queue->spare.clear();
    }
  }
  {
    const std::lock_guard lock(retired_mutex_);
    buffers.insert(buffers.end(), retired_.begin(), retired_.end());
    retired_.clear();
    retired_count_.store(0);
  }
  for (ActivityBuffer* buffer : buffers) {
    buffer->Close();
    table_.Recycle(buffer);
  }
}

void Recorder::FillStats(SimcuptiStats* out) const {
  out->buffers_requested = requested_.load();
  out->buffers_declined = declined_.load();
  out->buffers_returned = returned_.load();
  out->buffers_outstanding = out->buffers_requested - out->buffers_declined - out->buffers_returned;
  out->records_written = written_.load();
  out->records_dropped = dropped_total_.load();
  out->records_lost = lost_.load();
  out->late_completions = late_completions_.load();
  out->late_writes = late_writes_.load();
}

}  // namespace simgpu::cupti
