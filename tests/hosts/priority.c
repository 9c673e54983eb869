/* A host whose threads run with real-time priority, where it may: the thread that joins it must not. */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "ranges.h"

/* How many threads besides the first run with a real-time policy. */
static int RealTimeThreads(void) {
  DIR* tasks = opendir("/proc/self/task");
  int found = 0;
  for (struct dirent* task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    const int id = atoi(task->d_name);
    if (id != 0 && id != getpid() && sched_getscheduler(id) == SCHED_FIFO) ++found;
  }
  if (tasks != NULL) closedir(tasks);
  return found;
}

int main(void) {
  const struct sched_param parameters = {10};
  const int real_time = sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("llmserve");
  for (int i = 0; i < 50; ++i) ServeRequest(domain, i);
  printf("%s, %d other threads of that kind\n", real_time ? "real time" : "no real time here", RealTimeThreads());
  return 0;
}
