#include "nvml/api_table.h"

#include <dlfcn.h>

namespace slowtoken::nvml {

bool ApiTable::Load() {
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return false;
#define SLOWTOKEN_NVML_RESOLVE(field, symbol, ...) field = reinterpret_cast<Call<__VA_ARGS__>>(dlsym(handle, symbol));
  SLOWTOKEN_NVML_FUNCTIONS(SLOWTOKEN_NVML_RESOLVE)
#undef SLOWTOKEN_NVML_RESOLVE
  return true;
}

}  // namespace slowtoken::nvml
