#include "gpu/simulated_costs.h"

#include <cstdint>
#include <cstring>

#include "simgpu/core/program_interface.h"

namespace slowtoken::demo {
namespace {

constexpr uint64_t kUnknownNs = 2000;  // where the simulated GPU could not read the kernel's parameter table

uint64_t WorkNs(const SimgpuLaunch* launch, void*) {
  if (launch->argument_count == 0) return kUnknownNs;
  uint64_t work_ns;
  std::memcpy(&work_ns, launch->arguments[0], sizeof work_ns);
  return work_ns;
}

}  // namespace

void RegisterSimulatedCosts() {
  if (const SimgpuProgramApi* api = Simgpu()) api->set_cost_function("slowtoken::demo::*", WorkNs, nullptr);
}

}  // namespace slowtoken::demo
