#include "simgpu/core/effects.h"

#include <cstring>

#include "simgpu/core/memory.h"
#include "simgpu/core/module.h"

namespace simgpu {
namespace {

constexpr uint64_t kHugeZero = 1 << 20;

bool OnDevice(MemoryKind kind) { return kind == MemoryKind::kDevice || kind == MemoryKind::kManaged; }

void CopyRows(const CopyWork& copy) {
  const auto* source = static_cast<const uint8_t*>(copy.staging ? copy.staging->data() : HostAlias(copy.source));
  auto* destination = static_cast<uint8_t*>(HostAlias(copy.destination));
  for (size_t slice = 0; slice < copy.depth; ++slice) {
    for (size_t row = 0; row < copy.height; ++row) {
      std::memmove(destination + slice * copy.destination_slice + row * copy.destination_pitch,
                   source + slice * copy.source_slice + row * copy.source_pitch, copy.width);
    }
  }
}

void Fill(const SetWork& set) {
  const uint64_t row_bytes = uint64_t{set.width} * set.element;
  if (set.value == 0 && set.height == 1 && row_bytes >= kHugeZero && ZeroPages(set.destination, row_bytes)) return;
  for (size_t row = 0; row < set.height; ++row) {
    auto* to = static_cast<uint8_t*>(HostAlias(reinterpret_cast<void*>(set.destination + row * set.pitch)));
    if (set.element == 1) {
      std::memset(to, static_cast<int>(set.value), set.width);
      continue;
    }
    for (size_t i = 0; i < set.width; ++i) std::memcpy(to + i * set.element, &set.value, set.element);
  }
}

}  // namespace

// Kinds by where the bytes are, not by what the caller said. Values: cupti_activity.h, CUpti_ActivityMemcpyKind.
CopyPlan PlanCopy(const CopyWork& copy) {
  const bool from = OnDevice(copy.source_kind), to = OnDevice(copy.destination_kind);
  if (from && to) {
    const bool peer = copy.source_device != copy.destination_device;
    return {peer ? Transfer::kPeer : Transfer::kDeviceToDevice, CopyEngine::kNone, peer ? 10u : 8u, peer};
  }
  if (!from && !to) return {Transfer::kHostToHost, CopyEngine::kNone, 9, false};
  const MemoryKind host = from ? copy.destination_kind : copy.source_kind;
  const bool pageable = host == MemoryKind::kPageable;
  if (from) return {pageable ? Transfer::kPageable : Transfer::kDeviceToHost, CopyEngine::kDeviceToHost, 2, false};
  return {pageable ? Transfer::kPageable : Transfer::kHostToDevice, CopyEngine::kHostToDevice, 1, false};
}

std::function<void()> CopyEffect(const CopyWork& copy) {
  if (copy.height == 1 && copy.depth == 1 && !copy.staging) {
    return [to = copy.destination, from = copy.source, bytes = copy.width] {
      std::memmove(HostAlias(to), HostAlias(from), bytes);
    };
  }
  return [copy] { CopyRows(copy); };
}

std::function<void()> SetEffect(const SetWork& set) {
  return [set] { Fill(set); };
}

std::function<void()> HostEffect(const HostWork& host) {
  if (host.callback != nullptr) return [host] { host.callback(host.stream, CUDA_SUCCESS, host.data); };
  return [function = host.function, data = host.data] { function(data); };
}

SimgpuLaunch LaunchView(const KernelWork& kernel, int device) {
  SimgpuLaunch launch{};
  launch.name = kernel.function->info.name.c_str();
  std::memcpy(launch.grid, kernel.grid, sizeof(launch.grid));
  std::memcpy(launch.block, kernel.block, sizeof(launch.block));
  launch.dynamic_shared = kernel.shared;
  launch.device = static_cast<uint32_t>(device);
  if (kernel.arguments) {
    launch.argument_count = static_cast<uint32_t>(kernel.arguments->pointers.size());
    launch.arguments = kernel.arguments->pointers.data();
  }
  return launch;
}

std::function<void()> BodyEffect(const KernelWork& kernel, int device) {
  return [kernel, device, body = kernel.function->model.body, user = kernel.function->model.body_user] {
    const SimgpuLaunch launch = LaunchView(kernel, device);
    body(&launch, user);
  };
}

}  // namespace simgpu
