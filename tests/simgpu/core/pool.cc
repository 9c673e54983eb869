#include "simgpu/core/pool.h"

#include <array>
#include <atomic>

#include "simgpu/core/device.h"

namespace simgpu {
namespace {

struct Pools {
  std::array<Pool, kMaxDevices> defaults;
  std::array<std::atomic<Pool*>, kMaxDevices> current{};

  Pools() {
    for (int i = 0; i < kMaxDevices; ++i) {
      defaults[static_cast<size_t>(i)].device = i;
      current[static_cast<size_t>(i)] = &defaults[static_cast<size_t>(i)];
    }
  }
};

Pools& All() {
  static Pools* pools = new Pools;
  return *pools;
}

}  // namespace

Pool* DefaultPool(int device) { return &All().defaults[static_cast<size_t>(device)]; }
Pool* CurrentPool(int device) { return All().current[static_cast<size_t>(device)]; }
void SetCurrentPool(int device, Pool* pool) { All().current[static_cast<size_t>(device)] = pool; }

}  // namespace simgpu
