/* A host that never touches CUDA or NVTX: a compiler, a shell, one of the dozens of short children of a server. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  void* p = malloc(1000);
  printf("%s does its work\n", argc > 1 ? argv[1] : "nobody");
  free(p);
  return 3;
}
