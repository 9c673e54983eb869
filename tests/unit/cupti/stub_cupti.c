// The smallest library the search can find: it says where it lies.
#include <stdint.h>

__attribute__((visibility("default"))) const char* StubPlace(void) { return STUB_PLACE; }

__attribute__((visibility("default"))) int cuptiGetVersion(uint32_t* version) {
  *version = 130001;
  return 0;
}
