/* A host with many threads and odd ends of them.
 *   thousands     1,000 at once, then 3,000 one after another; each ends with a range open
 *   destructors   thread-specific data whose destructors use NVTX, again and again until libc stops calling them
 *   main_leaves   main ends by pthread_exit, a thread goes on and calls exit
 *   cancelled     a thread is cancelled in the middle of its ranges */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "ranges.h"

static nvtxDomainHandle_t domain;
static pthread_barrier_t all_there;
static pthread_key_t keys[3];

static pthread_attr_t SmallStack(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  return attributes;
}

static void* ServeAndLeaveOpen(void* together) {
  nvtxRangePushA("a thread that ends with its range open");
  ServeRequest(domain, 0);
  if (together != NULL) pthread_barrier_wait(&all_there);
  return NULL;
}

static int RunThousands(void) {
  enum { kAtOnce = 1000, kInTurn = 3000 };
  static pthread_t threads[kAtOnce];
  pthread_attr_t attributes = SmallStack();
  pthread_barrier_init(&all_there, NULL, kAtOnce);
  for (int i = 0; i < kAtOnce; ++i) {
    if (pthread_create(&threads[i], &attributes, ServeAndLeaveOpen, &all_there) != 0) _exit(4);
  }
  for (int i = 0; i < kAtOnce; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kInTurn; ++i) {
    if (pthread_create(&threads[0], &attributes, ServeAndLeaveOpen, NULL) != 0) return 4;
    pthread_join(threads[0], NULL);
  }
  return 0;
}

static void UseNvtxAndAskAgain(void* value) {
  nvtxRangePushA("in a destructor of thread-specific data");
  ServeRequest(domain, 0);
  for (int i = 0; i < 3; ++i) pthread_setspecific(keys[i], value);
}

static void* ServeWithDestructors(void* argument) {
  for (int i = 0; i < 3; ++i) pthread_setspecific(keys[i], &keys);
  return ServeAndLeaveOpen(argument);
}

/* One key is older than the profiler's, two are younger: their destructors run before and after its own. */
static int RunDestructors(int threads) {
  for (int i = 1; i < 3; ++i) pthread_key_create(&keys[i], UseNvtxAndAskAgain);
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, ServeWithDestructors, NULL) != 0) return 4;
    pthread_join(thread, NULL);
  }
  return 0;
}

static void* OutliveMain(void* main_thread) {
  pthread_join(*(pthread_t*)main_thread, NULL);
  ServeRequest(domain, 1);
  puts("main is gone");
  exit(6);
}

static void* ServeForEver(void* argument) {
  for (int i = 0;; ++i) {
    ServeRequest(domain, i);
    pthread_testcancel();
    usleep(100);
  }
  return argument;
}

int main(int argc, char** argv) {
  static pthread_t self;
  const char* how = argc > 1 ? argv[1] : "";
  int result = 2;
  pthread_t thread;
  self = pthread_self();
  pthread_key_create(&keys[0], UseNvtxAndAskAgain);
  domain = HostDomain();
  ServeRequest(domain, 0);
  if (strcmp(how, "thousands") == 0) result = RunThousands();
  if (strcmp(how, "destructors") == 0) result = RunDestructors(600); /* more than there are rings */
  if (strcmp(how, "main_leaves") == 0) {
    pthread_create(&thread, NULL, OutliveMain, &self);
    pthread_exit(NULL);
  }
  if (strcmp(how, "cancelled") == 0) {
    pthread_create(&thread, NULL, ServeForEver, NULL);
    usleep(20000);
    pthread_cancel(thread);
    result = pthread_join(thread, NULL);
  }
  printf("%s: %d\n", how, result);
  return result;
}
