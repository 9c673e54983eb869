#include "simgpu/cupti/hooks.h"

#include "simgpu/cupti/api_calls.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/emit.h"
#include "simgpu/cupti/lifecycle.h"
#include "simgpu/cupti/resources.h"

namespace simgpu::cupti {
namespace {

void* Reserve(const SimgpuRecord* record) { return EmitDevice(*record); }

void Complete(void* slot, uint64_t start_ns, uint64_t end_ns) { StampDevice(Slot::Unpack(slot), start_ns, end_ns); }

}  // namespace

const SimgpuToolHooks* HooksTable() {
  static const SimgpuToolHooks table = {
      .struct_size = sizeof(SimgpuToolHooks),
      .version = SIMGPU_TOOL_INTERFACE_VERSION,
      .wanted = WantedWord(),
      .api_enter = OnApiEnter,
      .api_exit = OnApiExit,
      .reserve = Reserve,
      .complete = Complete,
      .resource = OnResource,
      .forked_child = OnForkedChild,
      .reserved = {},
  };
  return &table;
}

}  // namespace simgpu::cupti
