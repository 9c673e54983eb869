#include "simgpu/core/api_frame.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>

#include "simgpu/core/clock.h"
#include "simgpu/core/context.h"
#include "simgpu/core/cost_model.h"
#include "simgpu/core/faults.h"
#include "simgpu/core/lifecycle.h"
#include "simgpu/core/names.h"
#include "simgpu/core/thread_state.h"
#include "simgpu/core/tool.h"

namespace simgpu {
namespace {

std::atomic<uint32_t> g_next_correlation{1};

using ApiCosts = std::map<std::string, uint64_t, std::less<>>;

// SIMGPU_API_COST="cudaLaunchKernel=4us,cudaGraphLaunch=28us": minimum host duration of the outermost call of that
// name.
const ApiCosts* Costs() {
  static const ApiCosts* costs = []() -> const ApiCosts* {
    const char* text = std::getenv("SIMGPU_API_COST");
    if (text == nullptr || *text == 0) return nullptr;
    auto* parsed = new ApiCosts;
    std::stringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
      const size_t equals = item.find('=');
      if (equals != std::string::npos)
        (*parsed)[item.substr(0, equals)] = static_cast<uint64_t>(ParseTime(item.substr(equals + 1)));
    }
    return parsed;
  }();
  return costs;
}

bool FaultFor(const char* name, int* result) {
  SimgpuFault fault{};
  if (!Fault(std::string("api.") + name, &fault)) return false;
  *result = static_cast<int>(fault.value);
  return true;
}

uint32_t WantBit(uint32_t domain) {
  return domain == SIMGPU_DOMAIN_DRIVER ? SIMGPU_WANT_DRIVER_API : SIMGPU_WANT_RUNTIME_API;
}

}  // namespace

uint32_t NextCorrelation() { return g_next_correlation.load(std::memory_order_relaxed); }
void SetNextCorrelation(uint32_t next) { g_next_correlation.store(next, std::memory_order_relaxed); }

void ApiBegin(ApiFrame* frame, uint32_t domain, uint32_t cbid, const char* name, const void* params, bool per_thread,
              bool needs_ready) {
  ThreadState& thread = Thread();
  frame->name = name;
  frame->params = params;
  frame->domain = domain;
  frame->cbid = cbid;
  frame->result = 0;
  frame->refused = false;
  frame->saved_per_thread = thread.per_thread;
  frame->cost_from_ns = 0;
  if (thread.depth++ == 0) {
    uint32_t id = g_next_correlation.fetch_add(1, std::memory_order_relaxed);
    if (id == 0) id = g_next_correlation.fetch_add(1, std::memory_order_relaxed);  // wrapped: 0 means none
    thread.correlation = id;
    if (Costs() != nullptr) frame->cost_from_ns = NowNs();
  }
  thread.per_thread = per_thread;
  frame->traced = cbid != 0 && Wanted(WantBit(domain)) && !thread.in_hook;
  if (needs_ready) {
    frame->result = ReadyError();
    frame->refused = frame->result != 0;
  }
  if (!frame->refused && FaultsActive()) frame->refused = FaultFor(name, &frame->result);
}

void ApiEnter(ApiFrame* frame, const char* symbol) {
  if (!frame->traced) return;
  const ThreadState& thread = Thread();
  SimgpuApiCall& call = frame->call;
  std::memset(&call, 0, sizeof(call));
  call.struct_size = sizeof(call);
  call.domain = frame->domain;
  call.cbid = frame->cbid;
  call.correlation_id = thread.correlation;
  call.function_name = frame->name;
  call.params = frame->params;
  call.return_value = &frame->result;
  call.symbol_name = symbol;
  call.nested = thread.depth > 1;
  Context* context = CurrentContext();
  call.context = reinterpret_cast<CUctx_st*>(context);
  call.context_uid = context != nullptr ? context->uid : 0;
  call.enter_ns = NowNs();
  ToolApiEnter(&call);
}

void ApiEnd(ApiFrame* frame) {
  ThreadState& thread = Thread();
  if (frame->cost_from_ns != 0) {
    const auto found = Costs()->find(std::string_view(frame->name));
    if (found != Costs()->end()) SleepUntil(frame->cost_from_ns + found->second);
  }
  if (frame->traced) {
    Context* context = CurrentContext();
    frame->call.context = reinterpret_cast<CUctx_st*>(context);
    frame->call.context_uid = context != nullptr ? context->uid : 0;
    frame->call.exit_ns = NowNs();
    ToolApiExit(&frame->call);
  }
  thread.per_thread = frame->saved_per_thread;
  --thread.depth;
}

}  // namespace simgpu
