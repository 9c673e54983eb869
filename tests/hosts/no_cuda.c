/* A host that uses NVTX and leaves CUDA alone, as the parent of forked workers does: nobody else may touch it either (bug
 * log rows 14 and 15). Prints the libraries of CUDA in its memory: none. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ranges.h"

static void PrintLibraries(const char* who) {
  static const char* const names[] = {"libcuda.so", "libcudart", "libcupti", "libnvidia"};
  int found = 0;
  char line[4096];
  FILE* file = fopen("/proc/self/maps", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) found += strstr(line, names[i]) != NULL;
  }
  if (file != NULL) fclose(file);
  printf("%s: %d mappings of CUDA\n", who, found);
  fflush(stdout);
}

int main(void) {
  unsetenv("HOST_GPU");
  const nvtxDomainHandle_t domain = HostDomain();
  for (int i = 0; i < 50; ++i) ServeRequest(domain, i);
  usleep(50000);
  PrintLibraries("the parent");
  if (fork() == 0) {
    for (int i = 0; i < 10; ++i) ServeRequest(domain, i);
    PrintLibraries("the child");
    _exit(0);
  }
  wait(NULL);
  return 0;
}
