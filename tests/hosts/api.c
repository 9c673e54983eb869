/* A host that drives the profiler through its C API (absent: the symbols are weak, nothing happens).
 *   restart   1,000 times stop and start without a pause, with ranges and GPU work in between and at the end
 *   late      uses the API and NVTX from a thread and from a handler of exit, after everything has ended
 *   threads   eight threads start, stop and ask for snapshots at once */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "ranges.h"
#include "slowtoken/slowtoken.h"

static nvtxDomainHandle_t domain;

static long ResidentKb(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void Cycle(int times) {
  for (int i = 0; i < times; ++i) {
    slowtoken_stop();
    slowtoken_start();
    ServeRequest(domain, i);
  }
}

static int RunRestart(void) {
  Cycle(500);
  usleep(300000); /* the worker has touched all it will touch */
  const long before = ResidentKb();
  Cycle(1000);
  const long grown = ResidentKb() - before;
  for (int i = 2000; i < 2050; ++i) ServeRequest(domain, i);
  slowtoken_snapshot();
  usleep(50000);
  return grown > 4096 ? 3 : 0;
}

static void* UseEverything(void* argument) {
  Cycle(20);
  slowtoken_snapshot();
  return argument;
}

static void UseEverythingAtExit(void) {
  pthread_t thread;
  UseEverything(NULL);
  if (pthread_create(&thread, NULL, UseEverything, NULL) == 0) pthread_join(thread, NULL);
  puts("used after the end");
}

static int RunThreads(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) {
    if (pthread_create(&threads[i], NULL, UseEverything, NULL) != 0) return 4;
  }
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
  slowtoken_start();
  return 0;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int result = 0;
  if (strcmp(how, "late") == 0) atexit(UseEverythingAtExit); /* older than the profiler's handler: it runs after it */
  domain = HostDomain();
  for (int i = 0; i < 50; ++i) ServeRequest(domain, i);
  if (strcmp(how, "restart") == 0) result = RunRestart();
  if (strcmp(how, "threads") == 0) result = RunThreads();
  for (int i = 3000; i < 3050; ++i) ServeRequest(domain, i);
  printf("%s: %d\n", how, result);
  return result;
}
