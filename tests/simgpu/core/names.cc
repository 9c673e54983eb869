#include "simgpu/core/names.h"

#include <span>
#include <string_view>

#include "simgpu/core/tool_interface.h"

namespace simgpu {
namespace {

struct Name {
  uint32_t cbid;
  const char* text;
};

constexpr Name kDriver[] = {
#include "driver_cbids.inc"
};
constexpr Name kRuntime[] = {
#include "runtime_cbids.inc"
};

std::span<const Name> Names(uint32_t domain) {
  return domain == SIMGPU_DOMAIN_DRIVER ? std::span<const Name>(kDriver) : std::span<const Name>(kRuntime);
}

// "cudaMalloc_v3020" -> "cudaMalloc"
std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  const bool version = at != std::string_view::npos && name.size() - at >= 6;
  return version ? name.substr(0, at) : name;
}

}  // namespace

const char* ApiName(uint32_t domain, uint32_t cbid) {
  for (const Name& name : Names(domain)) {
    if (name.cbid == cbid) return name.text;
  }
  return nullptr;
}

uint32_t ApiCbid(uint32_t domain, const char* text) {
  uint32_t newest = 0;
  for (const Name& name : Names(domain)) {
    if (name.text == std::string_view(text)) return name.cbid;
    if (domain == SIMGPU_DOMAIN_RUNTIME && WithoutVersion(name.text) == text) newest = name.cbid;
  }
  return newest;
}

uint32_t ApiCount(uint32_t domain) {
  uint32_t highest = 0;
  for (const Name& name : Names(domain)) highest = name.cbid > highest ? name.cbid : highest;
  return highest + 1;
}

}  // namespace simgpu
