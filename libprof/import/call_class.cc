#include "import/call_class.h"

namespace slowtoken::importing {
namespace {

using record::ApiClass;

struct Rule {
  std::string_view prefix;  // of the name without "cuda", "cu" or "hip"
  ApiClass api_class;
};

// The first prefix that fits decides.
constexpr Rule kRules[] = {
    {"LaunchHostFunc", ApiClass::kOther},
    {"Launch", ApiClass::kKernelLaunch},
    {"ModuleLaunch", ApiClass::kKernelLaunch},
    {"ExtLaunch", ApiClass::kKernelLaunch},
    {"ExtModuleLaunch", ApiClass::kKernelLaunch},
    {"HccModuleLaunch", ApiClass::kKernelLaunch},
    {"GraphLaunch", ApiClass::kGraphLaunch},
    {"Memcpy", ApiClass::kMemcpy},
    {"Memset", ApiClass::kMemset},
    {"DeviceSynchronize", ApiClass::kSynchronize},
    {"ThreadSynchronize", ApiClass::kSynchronize},
    {"CtxSynchronize", ApiClass::kSynchronize},
    {"StreamSynchronize", ApiClass::kSynchronize},
    {"EventSynchronize", ApiClass::kSynchronize},
    {"GraphInstantiate", ApiClass::kGraphBuild},
    {"GraphExecUpdate", ApiClass::kGraphBuild},
    {"GraphExecDestroy", ApiClass::kGraphBuild},
    {"GraphUpload", ApiClass::kGraphBuild},
    {"GraphDestroy", ApiClass::kGraphBuild},
    {"StreamBeginCapture", ApiClass::kGraphBuild},
    {"StreamEndCapture", ApiClass::kGraphBuild},
    {"Malloc", ApiClass::kMemory},
    {"Free", ApiClass::kMemory},
    {"HostAlloc", ApiClass::kMemory},
    {"HostMalloc", ApiClass::kMemory},
    {"HostFree", ApiClass::kMemory},
    {"HostRegister", ApiClass::kMemory},
    {"HostUnregister", ApiClass::kMemory},
    {"MemAlloc", ApiClass::kMemory},
    {"MemFree", ApiClass::kMemory},
    {"MemHostAlloc", ApiClass::kMemory},
    {"MemHostRegister", ApiClass::kMemory},
    {"MemHostUnregister", ApiClass::kMemory},
    {"MemCreate", ApiClass::kMemory},
    {"MemRelease", ApiClass::kMemory},
    {"MemMap", ApiClass::kMemory},
    {"MemUnmap", ApiClass::kMemory},
    {"MemPrefetch", ApiClass::kMemory},
    {"MemPoolTrimTo", ApiClass::kMemory},
    {"ModuleLoad", ApiClass::kModule},
    {"ModuleUnload", ApiClass::kModule},
    {"LibraryLoad", ApiClass::kModule},
    {"LibraryUnload", ApiClass::kModule},
    {"LinkComplete", ApiClass::kModule},
};

std::string_view AfterApiPrefix(std::string_view name) {
  for (const std::string_view prefix : {"__cuda", "cuda", "cu64", "cu", "__hip", "hip"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return name;
  }
  return {};
}

}  // namespace

ApiClass CallClass(std::string_view name) {
  const std::string_view call = AfterApiPrefix(name);
  for (const Rule& rule : kRules) {
    if (call.starts_with(rule.prefix)) return rule.api_class;
  }
  return ApiClass::kOther;
}

std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || name.size() - at < 6) return name;  // cuMemAlloc_v2 is the call's own name
  for (const char c : name.substr(at + 2)) {
    if (c < '0' || c > '9') return name;
  }
  return name.substr(0, at);
}

}  // namespace slowtoken::importing
