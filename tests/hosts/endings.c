/* A host that emits ranges and ends in the way its argument names, with a range still open. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranges.h"

static void OnTerm(int signal_number) {
  (void)signal_number;
  static const char text[] = "the host's own handler ran\n";
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(9);
  _exit(5);
}

static void* OpenRangeAndLeave(void* argument) {
  (void)argument;
  nvtxRangePushA("a thread that ends with its range open");
  return NULL;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  const nvtxDomainHandle_t domain = HostDomain();
  for (int i = 0; i < 100; ++i) ServeRequest(domain, i);
  nvtxRangePushA("open to the end");
  printf("ending by %s\n", how);
  fflush(stdout);
  if (strcmp(how, "exit") == 0) exit(4);
  if (strcmp(how, "_exit") == 0) _exit(4);
  if (strcmp(how, "quick_exit") == 0) quick_exit(4);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "sigkill") == 0) raise(SIGKILL);
  if (strcmp(how, "sigterm_default") == 0) raise(SIGTERM);
  if (strcmp(how, "sigterm_handled") == 0) {
    signal(SIGTERM, OnTerm);
    raise(SIGTERM);
  }
  if (strcmp(how, "close_all") == 0) {
    for (int fd = 3; fd < 256; ++fd) close(fd);
    ServeRequest(domain, 100);
  }
  if (strcmp(how, "thread_exit") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, OpenRangeAndLeave, NULL);
    pthread_join(thread, NULL);
    pthread_exit(NULL);
  }
  return 4;
}
