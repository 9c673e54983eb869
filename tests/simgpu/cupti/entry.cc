#include "simgpu/cupti/entry.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/lifecycle.h"
#include "simgpu/cupti/simcupti.h"
#include "simgpu/cupti/thread_state.h"
#include "simgpu/cupti/violations.h"

namespace simgpu::cupti {
namespace {

using ProbeFunction = void (*)(const char*, void*);

std::atomic<ProbeFunction> g_probe{nullptr};
std::atomic<void*> g_probe_user{nullptr};
std::atomic<bool> g_subscribed_v2{false};

// Whether the plan may hold a rule for the function, at whatever occasion. A plan in a file is not looked through: yes.
bool MayBePlanned(const std::string& own) {
  const char* plan = std::getenv("SIMGPU_FAULTS");
  if (plan == nullptr || *plan == '\0') return false;
  const std::string_view text = plan;
  if (text.front() == '/' || text.front() == '.' || text.front() == '@') return true;
  return text.find(own) != text.npos || text.find("cupti.any") != text.npos;
}

// Point "cupti.<function>" of the plan, else "cupti.any": a result code, by occasion.
CUptiResult Planned(EntryPoint* point) {
  const SimgpuEngineApi* engine = ConnectedEngine();
  if (engine == nullptr || point->planned.load(std::memory_order_relaxed) == 0) return CUPTI_SUCCESS;
  const std::string own = std::string("cupti.") + point->function;
  if (point->planned.load(std::memory_order_relaxed) < 0) point->planned.store(MayBePlanned(own) ? 1 : 0);
  if (point->planned.load(std::memory_order_relaxed) == 0) return CUPTI_SUCCESS;
  SimgpuFault fault{};
  if (engine->fault(own.c_str(), &fault) != 0 || engine->fault("cupti.any", &fault) != 0)
    return static_cast<CUptiResult>(fault.value);
  return CUPTI_SUCCESS;
}

// The fault plan comes with the engine. Functions that need no driver look for it once only.
void ConnectOnce() {
  static std::atomic<bool> tried{false};
  if (!tried.load(std::memory_order_relaxed) && !tried.exchange(true)) Engine();
}

CUptiResult CheckReentry(const EntryPoint& point) {
  const char* inside = ThisThread().in_buffer_callback;
  if (inside == nullptr) return CUPTI_SUCCESS;
  if ((point.rules & kNotInBufferCallback) != 0) {
    ReportViolation("%s called from inside the buffer %s callback", point.function, inside);
    return CUPTI_ERROR_INVALID_OPERATION;
  }
  if (Faults().strict && (point.rules & kHarmless) == 0)
    ReportViolation("%s called from inside the buffer %s callback (strict)", point.function, inside);
  return CUPTI_SUCCESS;
}

CUptiResult CheckDriver(const EntryPoint& point) {
  if ((point.rules & kNeedsDriver) == 0) return CUPTI_SUCCESS;
  if (Engine() == nullptr) return CUPTI_ERROR_UNKNOWN;
  return InForkedChild() ? CUPTI_ERROR_NOT_INITIALIZED : CUPTI_SUCCESS;
}

}  // namespace

CUptiResult Enter(EntryPoint* point) {
  ConnectOnce();
  CheckMoment(point->function);
  if (const ProbeFunction probe = g_probe.load()) probe(point->function, g_probe_user.load());
  if (const CUptiResult result = CheckReentry(*point); result != CUPTI_SUCCESS) return result;
  if (const CUptiResult result = CheckDriver(*point); result != CUPTI_SUCCESS) return result;
  if (SubscribedV2() && (point->rules & kGlobalActivity) != 0 && (Faults().mix_refused & 4u) != 0)
    return CUPTI_ERROR_NOT_COMPATIBLE;
  return Planned(point);
}

CUptiResult Done(CUptiResult result) {
  if (result != CUPTI_SUCCESS) ThisThread().last_error = result;
  return result;
}

void NoteSubscribedV2(bool v2) { g_subscribed_v2.store(v2); }

bool SubscribedV2() { return g_subscribed_v2.load(std::memory_order_relaxed); }

}  // namespace simgpu::cupti

extern "C" void simcuptiSetEntryProbe(void (*probe)(const char* function, void* user), void* user) {
  simgpu::cupti::g_probe_user.store(user);
  simgpu::cupti::g_probe.store(probe);
}
