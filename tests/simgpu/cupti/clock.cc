#include "simgpu/cupti/clock.h"

#include <atomic>
#include <ctime>

#include "simgpu/cupti/engine.h"

namespace simgpu::cupti {
namespace {

std::atomic<CUpti_TimestampCallbackFunc> g_callback{nullptr};
std::atomic<uint64_t> g_client_offset{0};  // client's clock minus CLOCK_MONOTONIC, modulo 2^64

uint64_t Read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

void SetTimestampCallback(CUpti_TimestampCallbackFunc callback) {
  g_callback.store(callback);
  NowCupti();
}

uint64_t NowCupti() {
  if (auto callback = g_callback.load(std::memory_order_acquire)) {
    const uint64_t client = callback();
    g_client_offset.store(client - Read(CLOCK_MONOTONIC), std::memory_order_relaxed);
    return client;
  }
  const SimgpuEngineApi* engine = ConnectedEngine();
  return engine != nullptr ? engine->wall_ns(engine->now_ns()) : Read(CLOCK_REALTIME);
}

uint64_t JustReadAsCupti(uint64_t monotonic_ns) {
  return g_callback.load(std::memory_order_acquire) != nullptr ? NowCupti() : ToCupti(monotonic_ns);
}

uint64_t ToCupti(uint64_t monotonic_ns) {
  if (monotonic_ns == 0) return 0;
  if (g_callback.load(std::memory_order_acquire) != nullptr) {
    return monotonic_ns + g_client_offset.load(std::memory_order_relaxed);
  }
  const SimgpuEngineApi* engine = ConnectedEngine();
  return engine != nullptr ? engine->wall_ns(monotonic_ns) : monotonic_ns;
}

}  // namespace simgpu::cupti
