// How long device work takes. Kernels: by name pattern, from the program (program_interface.h), SIMGPU_COST or the
// default; copies and sets: by kind, from SIMGPU_COST or the default. Called on the submitting thread; about 20 ns once
// a kernel's pattern is cached.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "simgpu/core/program_interface.h"

namespace simgpu {

// base + per_block * blocks + per_wave * waves, where a wave is as many blocks as run at once; jitter is a fraction,
// seeded.
struct Cost {
  double base_ns = 0;
  double per_block_ns = 0;
  double per_wave_ns = 0;
  double per_byte_ns = 0;
  double jitter = 0;
};

// What a kernel's name resolves to. Owned by the Function; refreshed when registrations change.
struct KernelModel {
  std::atomic<uint64_t> generation{0};
  Cost cost;
  SimgpuCostFunction function = nullptr;
  void* function_user = nullptr;
  SimgpuBody body = nullptr;
  void* body_user = nullptr;
};

// Brings `model` up to date for a kernel of this mangled name.
void RefreshModel(KernelModel& model, const std::string& mangled);
uint64_t KernelCost(const KernelModel& model, const SimgpuLaunch& launch);

enum class Transfer { kHostToDevice, kDeviceToHost, kDeviceToDevice, kPeer, kHostToHost, kPageable, kSet };
uint64_t TransferCost(Transfer transfer, uint64_t bytes);

// Named times of SIMGPU_COST: launch_latency (2us), kernel_gap (0), graph_node_gap (0), host_function (0).
enum class Delay { kLaunchLatency, kKernelGap, kGraphNodeGap, kCount };
uint64_t DelayNs(Delay delay);

// "12us", "1.5ms", "800ns", "3s"; ns without a unit.
double ParseTime(const std::string& text);
bool GlobMatch(const char* pattern, const char* text);

void SetCost(const char* pattern, uint64_t ns);
void SetCostFunction(const char* pattern, SimgpuCostFunction function, void* user);
void SetBody(const char* pattern, SimgpuBody body, void* user);
uint64_t ModelCost(const char* name, uint64_t blocks);

}  // namespace simgpu
