/* A host that says more through NVTX than anybody can keep: load MODE COUNT. Prints how much its resident memory has grown
 * since before its first NVTX call, and how many events it made.
 *   storm      64 threads, each COUNT ranges with 64 characters of text, flat out
 *   names      COUNT ranges, each with a name of its own
 *   strings    COUNT ranges, each with a registered string of its own
 *   deep       COUNT pushes on one thread, then all the pops, then COUNT pops too many
 *   open       COUNT pushes that are never popped
 *   requests   COUNT requests that never finish
 *   starts     COUNT start/end ranges that are never ended, then COUNT ends of ranges that never began */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "ranges.h"

enum { kThreads = 64 };
static nvtxDomainHandle_t domain;
static int count;

static long ResidentKb(void) {
  char line[256];
  long kb = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "VmRSS: %ld", &kb) == 1) break;
  }
  if (file != NULL) fclose(file);
  return kb;
}

static void* Storm(void* unused) {
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    nvtxRangePop();
  }
  return unused;
}

static long RunStorm(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, Storm, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 2L * kThreads * count;
}

static long RunNames(void) {
  char text[64];
  for (int i = 0; i < count; ++i) {
    snprintf(text, sizeof text, "step %d of a host that counts in its names", i);
    nvtxRangePushA(text);
    nvtxRangePop();
  }
  return 2L * count;
}

static long RunStrings(void) {
  char text[64];
  nvtxEventAttributes_t attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  /* Not the vocabulary's domain: there a text that does not parse is kept as a shape, and all of these have one. */
  const nvtxDomainHandle_t own = nvtxDomainCreateA("steps");
  for (int i = 0; i < count; ++i) {
    snprintf(text, sizeof text, "registered for step %d", i);
    attributes.message.registered = nvtxDomainRegisterStringA(own, text);
    nvtxDomainRangePushEx(own, &attributes);
    nvtxDomainRangePop(own);
  }
  return 2L * count;
}

static long RunDeep(void) {
  for (int i = 0; i < count; ++i) nvtxRangePushA("deeper");
  for (int i = 0; i < 2 * count; ++i) nvtxRangePop();
  return 3L * count;
}

static long RunOpen(void) {
  for (int i = 0; i < count; ++i) nvtxRangePushA("for ever");
  return count;
}

static long RunRequests(void) {
  char text[128];
  const nvtxEventAttributes_t attributes = HostMessage(text);
  for (int i = 0; i < count; ++i) {
    snprintf(text, sizeof text, "req|req=never-%d,n_prompt=4,max_new=1", i);
    nvtxDomainRangeStartEx(domain, &attributes);
    snprintf(text, sizeof text, "req.queued|req=never-%d", i);
    nvtxDomainMarkEx(domain, &attributes);
  }
  return 2L * count;
}

static long RunStarts(void) {
  for (int i = 0; i < count; ++i) nvtxRangeStartA("for ever");
  for (int i = 0; i < count; ++i) nvtxRangeEnd(0x7700000000000000ull + (unsigned)i);
  return 2L * count;
}

int main(int argc, char** argv) {
  const char* mode = argc > 2 ? argv[1] : "";
  count = argc > 2 ? atoi(argv[2]) : 0;
  const long before = ResidentKb();
  long events = -1;
  domain = HostDomain();
  if (strcmp(mode, "storm") == 0) events = RunStorm();
  if (strcmp(mode, "names") == 0) events = RunNames();
  if (strcmp(mode, "strings") == 0) events = RunStrings();
  if (strcmp(mode, "deep") == 0) events = RunDeep();
  if (strcmp(mode, "open") == 0) events = RunOpen();
  if (strcmp(mode, "requests") == 0) events = RunRequests();
  if (strcmp(mode, "starts") == 0) events = RunStarts();
  usleep(500000); /* the worker may catch up: what is left for exit has 200 ms, whatever the machine does meanwhile */
  printf("%ld %ld\n", ResidentKb() - before, events);
  return events < 0 ? 2 : 0;
}
