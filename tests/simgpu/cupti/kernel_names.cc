#include "simgpu/cupti/kernel_names.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "simgpu/cupti/faults.h"

namespace simgpu::cupti {
namespace {

struct Copies {
  std::mutex mutex;
  std::unordered_map<const char*, char*> by_name;
};

Copies& TheCopies() {
  static auto* copies = new Copies;
  return *copies;
}

}  // namespace

const char* KernelNameForRecord(const char* name) {
  if (name == nullptr || !Faults().recycle_names) return name;
  Copies& copies = TheCopies();
  const std::lock_guard lock(copies.mutex);
  char*& copy = copies.by_name[name];
  if (copy == nullptr) copy = strdup(name);
  return copy;
}

void RecycleNames() {
  if (!Faults().recycle_names) return;
  Copies& copies = TheCopies();
  const std::lock_guard lock(copies.mutex);
  // The memory stays mapped, with another kernel's name in it: a client that kept the pointer reads a wrong name, not a
  // fault.
  for (auto& [name, copy] : copies.by_name) {
    static constexpr char kNext[] = "recycled";
    for (size_t i = 0; copy[i] != '\0'; ++i) copy[i] = kNext[i % (sizeof(kNext) - 1)];
  }
  copies.by_name.clear();
}

int64_t NextGridId() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace simgpu::cupti
