/* A host that forks after the profiler has started: the child goes on using NVTX and ends; then one more child that
 * execs. Prints only what it does itself. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ranges.h"

int main(int argc, char** argv) {
  (void)argc;
  const nvtxDomainHandle_t domain = HostDomain();
  for (int i = 0; i < 10; ++i) ServeRequest(domain, i);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 1000; i < 1010; ++i) ServeRequest(domain, i);
    exit(6);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("the child ended with %d\n", WEXITSTATUS(status));
  fflush(stdout);
  child = fork();
  if (child == 0) {
    char* const arguments[] = {argv[1], (char*)"exec", NULL};
    execv(argv[1], arguments);
    _exit(127);
  }
  waitpid(child, &status, 0);
  printf("the exec'ed child ended with %d\n", WEXITSTATUS(status));
  for (int i = 10; i < 20; ++i) ServeRequest(domain, i);
  return 0;
}
