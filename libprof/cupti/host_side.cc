#include "cupti/host_side.h"

#include "capture/clock_map.h"

namespace slowtoken::cupti {
namespace {

constinit std::atomic<HostSide*> g_side{nullptr};

// Times the call-back it stands in, if it is that one's turn. A call-back that lost its CPU counts no more than
// kLongest.
class Timed {
 public:
  explicit Timed(HostSide& side)
      : side_(side), from_(side.pool.requests() % HostSide::kTimedCall == 0 ? capture::RawStamp() : 0) {}
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() {
    constexpr uint64_t kLongest = 20'000;  // raw stamps
    if (from_ == 0) return;
    const uint64_t took = capture::RawStamp() - from_;
    side_.timed.fetch_add(took < kLongest ? took : kLongest, std::memory_order_relaxed);
  }

 private:
  HostSide& side_;
  uint64_t from_;
};

}  // namespace

void HostSide::Install(HostSide* side) { g_side.store(side, std::memory_order_release); }

uint32_t HostSide::Now(uint64_t* stamp) {
  const HostSide* side = g_side.load(std::memory_order_acquire);
  if (side == nullptr || !side->active() || side->api.get_timestamp == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return side->api.get_timestamp(stamp);
}

void HostSide::BufferRequested(uint8_t** buffer, size_t* size, size_t* max_records) {
  BufferPool::Buffer given;
  HostSide* side = g_side.load(std::memory_order_acquire);
  if (side != nullptr) {
    const Timed timed(*side);
    given = side->pool.Request(side->null_buffer);
    if (pthread_self() == side->prober.load(std::memory_order_relaxed)) side->probe_buffer.store(given.data);
  }
  *buffer = given.data;
  *size = given.bytes;
  *max_records = 0;  // as many as fit
}

void HostSide::BufferCompleted(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  HostSide* side = g_side.load(std::memory_order_acquire);
  if (side == nullptr || buffer == nullptr) return;
  const Timed timed(*side);
  side->pool.Complete(buffer, valid_bytes);
}

}  // namespace slowtoken::cupti
