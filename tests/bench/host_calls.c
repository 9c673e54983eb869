/* What the calls that a host waits for take: prints, in ns, the first start of the recorder, then, unless it is given an
 * argument, the median and the largest of 500 snapshots, stops and starts; then the clock, and ends. Run with libslowtoken.so
 * preloaded. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "nvtx3/nvToolsExt.h"
#include "slowtoken/slowtoken.h"

enum { kCalls = 500 };

static long long Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int Compare(const void* a, const void* b) {
  const long long x = *(const long long*)a, y = *(const long long*)b;
  return (x > y) - (x < y);
}

static void Measure(const char* name, int (*call)(void)) {
  static long long taken[kCalls];
  for (int i = 0; i < kCalls; ++i) {
    nvtxRangePushA("something to write");
    nvtxRangePop();
    const long long begin = Now();
    call();
    taken[i] = Now() - begin;
    usleep(1000);
  }
  qsort(taken, kCalls, sizeof taken[0], Compare);
  printf("%s_median %lld\n%s_max %lld\n", name, taken[kCalls / 2], name, taken[kCalls - 1]);
}

int main(int argc, char** argv) {
  (void)argv;
  const long long begin = Now();
  const int started = slowtoken_start();
  printf("first_start %lld\n", Now() - begin);
  if (started != SLOWTOKEN_OK) return 2;
  if (argc == 1) {
    Measure("snapshot", slowtoken_snapshot);
    Measure("stop", slowtoken_stop);
    Measure("start", slowtoken_start);
  }
  printf("exit_begins %lld\n", Now());
  return 0;
}
