#include "cupti/api_table.h"

#include <dlfcn.h>

namespace slowtoken::cupti {

ApiTable ApiTable::FromHandle(void* handle) {
  ApiTable table;
#define SLOWTOKEN_CUPTI_RESOLVE(field, type, symbol) \
  table.field = reinterpret_cast<decltype(table.field)>(dlsym(handle, symbol));
  SLOWTOKEN_CUPTI_FUNCTIONS(SLOWTOKEN_CUPTI_RESOLVE)
#undef SLOWTOKEN_CUPTI_RESOLVE
  return table;
}

uint32_t ApiTable::Version() const {
  uint32_t version = 0;
  if (get_version == nullptr || get_version(&version) != CUPTI_SUCCESS) return 0;
  return version;
}

}  // namespace slowtoken::cupti
