#include "cupti/host_side.h"

namespace slowtoken::cupti {
namespace {

constinit std::atomic<HostSide*> g_side{nullptr};

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
    given = side->pool.Request(side->null_buffer);
    if (pthread_self() == side->prober.load(std::memory_order_relaxed)) side->probe_buffer.store(given.data);
  }
  *buffer = given.data;
  *size = given.bytes;
  *max_records = 0;  // as many as fit
}

void HostSide::BufferCompleted(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  HostSide* side = g_side.load(std::memory_order_acquire);
  if (side != nullptr && buffer != nullptr) side->pool.Complete(buffer, valid_bytes);
}

}  // namespace slowtoken::cupti
