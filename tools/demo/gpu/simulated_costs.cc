#include "gpu/simulated_costs.h"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "simgpu/core/program_interface.h"

namespace slowtoken::demo {
namespace {

constexpr uint64_t kUnknownNs = 2000;  // where the simulated GPU could not read the kernel's parameter table

std::atomic<uint64_t> permille{1000}, late_ns{0};

uint64_t WorkNs(const SimgpuLaunch* launch, void*) {
  if (launch->argument_count == 0) return kUnknownNs;
  uint64_t work_ns;
  std::memcpy(&work_ns, launch->arguments[0], sizeof work_ns);
  return work_ns * permille / 1000;
}

uint64_t AllReduceNs(const SimgpuLaunch* launch, void* user) { return WorkNs(launch, user) + late_ns.exchange(0); }

}  // namespace

void RegisterSimulatedCosts() {
  const SimgpuProgramApi* api = Simgpu();
  if (!api) return;
  api->set_cost_function("slowtoken::demo::*", WorkNs, nullptr);
  api->set_cost_function("slowtoken::demo::cross_device_reduce*", AllReduceNs, nullptr);
}

void SetSimulatedPressure(const Pressure& pressure) {
  permille = pressure.permille;
  late_ns = pressure.late_ns;
}

}  // namespace slowtoken::demo
