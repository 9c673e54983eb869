/* A program that stops the profiler for a while and starts it again, with ranges that cross both. Shows nothing. */
#include <unistd.h>

#include "ranges.h"
#include "slowtoken/slowtoken.h"

static const useconds_t kSettle = 300000; /* stop and start return at once; the profiler's thread does the work */

int main(void) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("llmserve");
  for (int number = 0; number < 10; ++number) ServeRequest(domain, number);
  nvtxRangePushA("open when recording stops");
  slowtoken_stop();
  usleep(kSettle);
  for (int number = 100; number < 110; ++number) ServeRequest(domain, number);
  nvtxRangePop();
  nvtxRangePushA("begun while stopped");
  slowtoken_start();
  usleep(kSettle);
  nvtxRangePop();
  for (int number = 10; number < 20; ++number) ServeRequest(domain, number);
  return 0;
}
