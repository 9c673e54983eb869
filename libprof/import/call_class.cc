#include "import/call_class.h"

#include "record/call_names.h"

namespace slowtoken::importing {
namespace {

using record::ApiClass;

struct Rule {
  std::string_view prefix;  // of the name without "cuda", "cu" or "hip"
  ApiClass api_class;
};

// Where HIP's names are others than CUDA's, and calls that are recorded to follow captures: an import knows of none.
constexpr Rule kRules[] = {
    {"ModuleLaunch", ApiClass::kKernelLaunch},
    {"ExtLaunch", ApiClass::kKernelLaunch},
    {"ExtModuleLaunch", ApiClass::kKernelLaunch},
    {"HccModuleLaunch", ApiClass::kKernelLaunch},
    {"HostMalloc", ApiClass::kMemory},
    {"HostFree", ApiClass::kMemory},
    {"StreamWaitEvent", ApiClass::kOther},
    {"StreamUpdateCaptureDependencies", ApiClass::kOther},
};

std::string_view AfterApiPrefix(std::string_view name) {
  for (const std::string_view prefix : {"__hip", "hip"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return name;
  }
  return record::WithoutApiPrefix(name);
}

}  // namespace

ApiClass CallClass(std::string_view name) {
  const std::string_view call = AfterApiPrefix(name);
  for (const Rule& rule : kRules) {
    if (call.starts_with(rule.prefix)) return rule.api_class;
  }
  return record::ClassOfCall(call).value_or(ApiClass::kOther);
}

}  // namespace slowtoken::importing
