/* A server on a machine without a GPU driver: NVTX works, and CUDA's door is knocked at as a driver would do it, so that
 * the toolkit's own libcupti is asked and refuses. */
#include <dlfcn.h>
#include <stdlib.h>

#include "ranges.h"

int main(void) {
  const char* path = getenv("CUDA_INJECTION64_PATH");
  void* library = path == NULL ? NULL : dlopen(path, RTLD_NOW);
  if (library != NULL) {
    int (*door)(void) = NULL;
    *(void**)&door = dlsym(library, "InitializeInjection");
    if (door != NULL && door() != 1) return 9;
  }
  const nvtxDomainHandle_t domain = HostDomain();
  for (int i = 0; i < 50; ++i) ServeRequest(domain, i);
  puts("served 50 requests without a GPU");
  return 0;
}
