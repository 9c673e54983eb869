/* A host that opens the profiler's library itself, calls its doors, and closes it again while it is recording; then it
 * opens it once more. Nothing of it may go away under the threads that use it. */
#include <dlfcn.h>
#include <unistd.h>

#include "ranges.h"

static void KnockAndClose(const char* path) {
  void* library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  int (*door)(void) = NULL;
  *(void**)&door = dlsym(library, "InitializeInjection");
  if (door != NULL) door();
  dlclose(library);
  dlclose(library); /* once too often, as some do */
}

int main(void) {
  const char* path = getenv("CUDA_INJECTION64_PATH");
  KnockAndClose(path);
  const nvtxDomainHandle_t domain = HostDomain();
  for (int i = 0; i < 50; ++i) ServeRequest(domain, i);
  KnockAndClose(path);
  usleep(50000);
  for (int i = 50; i < 100; ++i) ServeRequest(domain, i);
  puts("the library came and went");
  return 0;
}
