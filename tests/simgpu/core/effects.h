// What work does to memory when its modelled end has passed: closures that run on the pumping thread, without the
// timeline's lock.
#pragma once

#include <functional>

#include "simgpu/core/cost_model.h"
#include "simgpu/core/work_item.h"

namespace simgpu {

struct CopyPlan {
  Transfer transfer;
  CopyEngine engine;
  uint32_t cupti_kind;  // CUpti_ActivityMemcpyKind
  bool peer;
};

CopyPlan PlanCopy(const CopyWork& copy);
std::function<void()> CopyEffect(const CopyWork& copy);
std::function<void()> SetEffect(const SetWork& set);
std::function<void()> HostEffect(const HostWork& host);
std::function<void()> BodyEffect(const KernelWork& kernel, int device);
SimgpuLaunch LaunchView(const KernelWork& kernel, int device);

}  // namespace simgpu
