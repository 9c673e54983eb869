#include "record/call_names.h"

namespace slowtoken::record {
namespace {

struct Rule {
  std::string_view prefix;  // of the name without "cuda", "cu" or "cu64"
  std::optional<ApiClass> api_class;
};

// The first prefix that fits decides.
constexpr Rule kRules[] = {
    {"LaunchHostFunc", std::nullopt},
    {"Launch", ApiClass::kKernelLaunch},
    {"GraphLaunch", ApiClass::kGraphLaunch},
    {"Memcpy", ApiClass::kMemcpy},
    {"Memset", ApiClass::kMemset},
    {"DeviceSynchronize", ApiClass::kSynchronize},
    {"ThreadSynchronize", ApiClass::kSynchronize},
    {"CtxSynchronize", ApiClass::kSynchronize},
    {"StreamSynchronize", ApiClass::kSynchronize},
    {"EventSynchronize", ApiClass::kSynchronize},
    {"StreamWaitEvent", ApiClass::kSynchronize},
    {"StreamUpdateCaptureDependencies", ApiClass::kSynchronize},
    {"GraphInstantiate", ApiClass::kGraphBuild},
    {"GraphExecUpdate", ApiClass::kGraphBuild},
    {"GraphExecDestroy", ApiClass::kGraphBuild},
    {"GraphUpload", ApiClass::kGraphBuild},
    {"StreamBeginCapture", ApiClass::kGraphBuild},
    {"StreamEndCapture", ApiClass::kGraphBuild},
    {"Malloc", ApiClass::kMemory},
    {"Free", ApiClass::kMemory},
    {"HostAlloc", ApiClass::kMemory},
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
    {"MemDiscardAndPrefetch", ApiClass::kMemory},
    {"MemPoolTrimTo", ApiClass::kMemory},
    {"ModuleLoad", ApiClass::kModule},
    {"ModuleUnload", ApiClass::kModule},
    {"LibraryLoad", ApiClass::kModule},
    {"LibraryUnload", ApiClass::kModule},
    {"LinkComplete", ApiClass::kModule},
};

}  // namespace

std::string_view WithoutApiPrefix(std::string_view name) {
  for (std::string_view prefix : {"__cuda", "cuda", "cu64", "cu"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return name;
  }
  return {};
}

std::optional<ApiClass> ClassOfCall(std::string_view call) {
  if (WithoutVersion(call) == "GraphDestroy") return ApiClass::kGraphBuild;  // but not cuGraphDestroyNode
  for (const Rule& rule : kRules) {
    if (call.starts_with(rule.prefix)) return rule.api_class;
  }
  return std::nullopt;
}

std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || name.size() - at < 6) return name;  // cuMemAlloc_v2 is the call's own name
  for (size_t i = at + 2; i < name.size(); ++i) {
    if (name[i] < '0' || name[i] > '9') return name;
  }
  return {name.data(), at};
}

}  // namespace slowtoken::record
