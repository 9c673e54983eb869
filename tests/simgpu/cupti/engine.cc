#include "simgpu/cupti/engine.h"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/hooks.h"

namespace simgpu::cupti {
namespace {

std::atomic<const SimgpuEngineApi*> g_engine{nullptr};

const SimgpuEngineApi* Connect() {
  static auto* mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  if (const SimgpuEngineApi* engine = g_engine.load()) return engine;
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return nullptr;
  // A real driver has no such symbol: then there is no simulated device, and CUPTI says so.
  const auto attach = reinterpret_cast<decltype(&simgpuAttachTool)>(dlsym(library, "simgpuAttachTool"));
  const auto table = reinterpret_cast<decltype(&simgpuEngine)>(dlsym(library, "simgpuEngine"));
  if (attach == nullptr || table == nullptr) return nullptr;
  LoadFaults(*table());
  UpdateWanted();
  const SimgpuEngineApi* engine = attach(HooksTable());
  if (engine == nullptr) return nullptr;
  if (Faults().id_base >= 0) engine->set_correlation_id(static_cast<uint32_t>(Faults().id_base));
  g_engine.store(engine);
  return engine;
}

}  // namespace

const SimgpuEngineApi* ConnectedEngine() { return g_engine.load(std::memory_order_acquire); }

const SimgpuEngineApi* Engine() {
  const SimgpuEngineApi* engine = ConnectedEngine();
  return engine != nullptr ? engine : Connect();
}

}  // namespace simgpu::cupti
