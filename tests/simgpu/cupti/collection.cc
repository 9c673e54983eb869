#include "simgpu/cupti/collection.h"

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "simgpu/core/tool_interface.h"
#include "simgpu/cupti/bitmap.h"
#include "simgpu/cupti/callbacks.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/recorder.h"

namespace simgpu::cupti {
namespace {

constexpr uint32_t kKinds = 64;
static_assert(CUPTI_ACTIVITY_KIND_COUNT <= kKinds);

struct State {
  std::atomic<uint64_t> kinds{0};  // bit per kind
  ApiBitmap runtime, driver;
  std::atomic<bool> any_override{false};
  std::atomic<uint32_t> sessions{0};
  std::atomic<bool> silent{false};  // fault silent_after_disable has struck

  std::mutex mutex;
  std::unordered_map<uint64_t, bool> overrides;  // context id << 32 | kind
};

State& TheState() {
  static auto* state = new State;
  return *state;
}

std::atomic<uint32_t> g_wanted{0};

// What cuptiActivityEnable says to a kind (cupti_activity.h:150-640: kinds gone with CUDA 13.0, kinds that cannot be
// enabled directly).
CUptiResult Enableable(CUpti_ActivityKind kind) {
  switch (static_cast<int>(kind)) {
    case CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR:
    case CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS:
    case CUPTI_ACTIVITY_KIND_BRANCH:
    case CUPTI_ACTIVITY_KIND_INSTRUCTION_EXECUTION:
    case CUPTI_ACTIVITY_KIND_SHARED_ACCESS:
    case CUPTI_ACTIVITY_KIND_PC_SAMPLING:
    case CUPTI_ACTIVITY_KIND_PC_SAMPLING_RECORD_INFO:
    case CUPTI_ACTIVITY_KIND_INSTRUCTION_CORRELATION:
      return CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED;
    case CUPTI_ACTIVITY_KIND_EVENT:
    case CUPTI_ACTIVITY_KIND_METRIC:
    case CUPTI_ACTIVITY_KIND_EVENT_INSTANCE:
    case CUPTI_ACTIVITY_KIND_METRIC_INSTANCE:
    case CUPTI_ACTIVITY_KIND_INSTANTANEOUS_EVENT:
    case CUPTI_ACTIVITY_KIND_INSTANTANEOUS_EVENT_INSTANCE:
    case CUPTI_ACTIVITY_KIND_INSTANTANEOUS_METRIC:
    case CUPTI_ACTIVITY_KIND_INSTANTANEOUS_METRIC_INSTANCE:
    case CUPTI_ACTIVITY_KIND_CDP_KERNEL:
    case CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE:
      return CUPTI_ERROR_NOT_COMPATIBLE;
    default:
      return kind <= CUPTI_ACTIVITY_KIND_INVALID || kind >= CUPTI_ACTIVITY_KIND_COUNT ? CUPTI_ERROR_INVALID_KIND
                                                                                      : CUPTI_SUCCESS;
  }
}

CUptiResult PlannedError(CUpti_ActivityKind kind) {
  for (const RecordRule& rule : Faults().kind_errors) {
    if (rule.classes == static_cast<uint32_t>(kind)) return static_cast<CUptiResult>(rule.number);
  }
  return CUPTI_SUCCESS;
}

uint64_t Bit(CUpti_ActivityKind kind) { return uint64_t{1} << kind; }

// KERNEL serialises kernels, CONCURRENT_KERNEL does not: they exclude each other.
bool Conflicts(CUpti_ActivityKind kind) {
  const uint64_t on = TheState().kinds.load();
  return (kind == CUPTI_ACTIVITY_KIND_KERNEL && (on & Bit(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) != 0) ||
         (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && (on & Bit(CUPTI_ACTIVITY_KIND_KERNEL)) != 0);
}

ApiBitmap* BitmapOf(CUpti_CallbackDomain domain) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) return &TheState().runtime;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) return &TheState().driver;
  return nullptr;
}

void NoteDisabled() {
  if (Faults().silent_after_disable) TheState().silent.store(true);
}

uint32_t WantedBits() {
  State& state = TheState();
  const bool trace = Collecting(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  uint32_t bits = 0;
  if (state.runtime.any() || AnyCallback(CUPTI_CB_DOMAIN_RUNTIME_API)) bits |= SIMGPU_WANT_RUNTIME_API;
  if (state.driver.any() || AnyCallback(CUPTI_CB_DOMAIN_DRIVER_API)) bits |= SIMGPU_WANT_DRIVER_API;
  if (Collecting(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) || Collecting(CUPTI_ACTIVITY_KIND_KERNEL))
    bits |= SIMGPU_WANT_KERNEL;
  if (Collecting(CUPTI_ACTIVITY_KIND_MEMCPY) || Collecting(CUPTI_ACTIVITY_KIND_MEMCPY2)) bits |= SIMGPU_WANT_MEMCPY;
  if (Collecting(CUPTI_ACTIVITY_KIND_MEMSET)) bits |= SIMGPU_WANT_MEMSET;
  if (Collecting(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) bits |= SIMGPU_WANT_SYNC;
  if (Collecting(CUPTI_ACTIVITY_KIND_CUDA_EVENT)) bits |= SIMGPU_WANT_EVENT;
  if (Collecting(CUPTI_ACTIVITY_KIND_MEMORY2)) bits |= SIMGPU_WANT_MEMORY;
  bits |= trace ? SIMGPU_WANT_GRAPH_TRACE : SIMGPU_WANT_GRAPH_NODES;
  const bool resources = AnyCallback(CUPTI_CB_DOMAIN_RESOURCE) || AnyCallback(CUPTI_CB_DOMAIN_SYNCHRONIZE) ||
                         Collecting(CUPTI_ACTIVITY_KIND_DEVICE) || Collecting(CUPTI_ACTIVITY_KIND_CONTEXT) ||
                         Collecting(CUPTI_ACTIVITY_KIND_STREAM) || Faults().recycle_names;
  if (resources) bits |= SIMGPU_WANT_RESOURCE;
  return bits;
}

}  // namespace

CUptiResult EnableKind(CUpti_ActivityKind kind, bool enable) {
  if (const CUptiResult result = Enableable(kind); result != CUPTI_SUCCESS) return result;
  if (enable) {
    if (const CUptiResult planned = PlannedError(kind); planned != CUPTI_SUCCESS) return planned;
    if (Conflicts(kind)) return CUPTI_ERROR_NOT_COMPATIBLE;
  }
  State& state = TheState();
  if (kind == CUPTI_ACTIVITY_KIND_RUNTIME) state.runtime.SetAll(enable);
  if (kind == CUPTI_ACTIVITY_KIND_DRIVER) state.driver.SetAll(enable);
  if (enable) {
    if (state.kinds.fetch_or(Bit(kind)) == 0) state.sessions.fetch_add(1);
    TheRecorder().NoteStart();
  } else {
    if ((state.kinds.fetch_and(~Bit(kind)) & ~Bit(kind)) == 0) TheRecorder().NoteStop();
    NoteDisabled();
  }
  UpdateWanted();
  return CUPTI_SUCCESS;
}

CUptiResult EnableKindForContext(uint32_t context_id, CUpti_ActivityKind kind, bool enable) {
  if (const CUptiResult result = Enableable(kind); result != CUPTI_SUCCESS) return result;
  State& state = TheState();
  {
    const std::lock_guard lock(state.mutex);
    state.overrides[uint64_t{context_id} << 32 | static_cast<uint32_t>(kind)] = enable;
    state.any_override.store(true);
  }
  if (!enable) NoteDisabled();
  UpdateWanted();
  return CUPTI_SUCCESS;
}

CUptiResult EnableApi(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, bool enable) {
  ApiBitmap* bitmap = BitmapOf(domain);
  if (bitmap == nullptr || !ValidCallback(domain, cbid)) return CUPTI_ERROR_INVALID_PARAMETER;
  bitmap->Set(cbid, enable);
  UpdateWanted();
  return CUPTI_SUCCESS;
}

bool Collecting(CUpti_ActivityKind kind) {
  State& state = TheState();
  if (state.silent.load(std::memory_order_relaxed)) return false;
  if ((state.kinds.load(std::memory_order_relaxed) & Bit(kind)) != 0) return true;
  if (!state.any_override.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(state.mutex);
  for (const auto& [key, on] : state.overrides) {
    if (on && static_cast<uint32_t>(key) == static_cast<uint32_t>(kind)) return true;
  }
  return false;
}

bool Collecting(CUpti_ActivityKind kind, uint32_t context_id) {
  State& state = TheState();
  if (state.silent.load(std::memory_order_relaxed)) return false;
  if (state.any_override.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(state.mutex);
    const auto found = state.overrides.find(uint64_t{context_id} << 32 | static_cast<uint32_t>(kind));
    if (found != state.overrides.end()) return found->second;
  }
  return (state.kinds.load(std::memory_order_relaxed) & Bit(kind)) != 0;
}

bool CollectingApi(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, uint32_t context_id) {
  State& state = TheState();
  if (state.silent.load(std::memory_order_relaxed)) return false;
  if (state.any_override.load(std::memory_order_relaxed)) {
    const auto kind = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
    const std::lock_guard lock(state.mutex);
    const auto found = state.overrides.find(uint64_t{context_id} << 32 | static_cast<uint32_t>(kind));
    if (found != state.overrides.end()) return found->second;
  }
  const ApiBitmap* bitmap = BitmapOf(domain);
  return bitmap != nullptr && bitmap->Test(cbid);
}

CUpti_ActivityKind KernelKind() {
  const bool serialised = (TheState().kinds.load(std::memory_order_relaxed) & Bit(CUPTI_ACTIVITY_KIND_KERNEL)) != 0;
  return serialised ? CUPTI_ACTIVITY_KIND_KERNEL : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

void DisableAllKinds() {
  State& state = TheState();
  state.kinds.store(0);
  state.runtime.SetAll(false);
  state.driver.SetAll(false);
  {
    const std::lock_guard lock(state.mutex);
    state.overrides.clear();
    state.any_override.store(false);
  }
  UpdateWanted();
}

void UpdateWanted() { g_wanted.store(WantedBits()); }

const uint32_t* WantedWord() {
  static_assert(sizeof(g_wanted) == sizeof(uint32_t));
  return reinterpret_cast<const uint32_t*>(&g_wanted);
}

uint32_t SessionNumber() { return TheState().sessions.load(std::memory_order_relaxed); }

}  // namespace simgpu::cupti
