/* A host whose handler of a fast timer uses NVTX, in the middle of its own NVTX calls and of whatever else it does, its
 * first call and the end included (bug log row 27: a tool that is called inside its own call). Then threads that are
 * shot at all their life: during their first calls, when they get what belongs to a thread, and their end. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "ranges.h"

static volatile sig_atomic_t in_handler;

static void OnTimer(int number) {
  (void)number;
  nvtxRangePushA("inside the handler");
  nvtxMarkA("a mark");
  nvtxRangePop();
  ++in_handler;
}

static void* Newcomer(void* domain) {
  ServeRequest(domain, 1);
  return NULL;
}

static void ShootAtNewcomer(nvtxDomainHandle_t domain) {
  pthread_t newcomer;
  if (pthread_create(&newcomer, NULL, Newcomer, domain) != 0) return;
  while (pthread_tryjoin_np(newcomer, NULL) != 0) pthread_kill(newcomer, SIGALRM);
}

int main(void) {
  const struct itimerval fast = {{0, 100}, {0, 100}};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = OnTimer;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  const nvtxDomainHandle_t domain = HostDomain();
  setitimer(ITIMER_REAL, &fast, NULL);
  for (int i = 0; in_handler < 500; ++i) ServeRequest(domain, i);
  for (int i = 0; i < 200; ++i) ShootAtNewcomer(domain);
  puts("served under fire");
  return 0;
}
