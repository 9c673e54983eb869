/* A host that lives under limits. Exit code 3 if it gets less than the limit promises.
 *   file_size       no file may grow beyond 20 kB, and the signal for it has its default effect: death
 *   address_space   may map 96 MB more, and needs 90 of them
 *   address_room    may map 1 GB more, and needs 600 MB of it: there is room for both
 *   descriptors     may open 12 descriptors, and needs 8 of them
 *   tiny_stack      threads with the smallest stack there is use NVTX
 *   first_on_tiny   the same, and the first NVTX call of the process is on such a thread */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ranges.h"

static nvtxDomainHandle_t domain;

static void Record(int from) {
  for (int i = 0; i < 200; ++i) {
    ServeRequest(domain, from + i);
    usleep(500);
  }
}

static size_t Mapped(void) {
  unsigned long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int Limit(int resource, rlim_t value) {
  const struct rlimit limit = {value, value};
  return setrlimit(resource, &limit);
}

static int RunAddressSpace(size_t allowed, size_t needed) {
  Limit(RLIMIT_AS, Mapped() + allowed);
  domain = HostDomain();
  Record(0);
  void* memory = mmap(NULL, needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? 3 : 0;
}

static int RunDescriptors(void) {
  Limit(RLIMIT_NOFILE, 12);
  domain = HostDomain();
  Record(0);
  int opened = 3;
  while (opened < 8 && dup(0) >= 0) ++opened; /* two may be ours (the trace, the state of the process), two the driver's */
  Record(1000);
  return opened == 8 ? 0 : 3;
}

static void* ServeOnTinyStack(void* argument) {
  if (domain == NULL) domain = nvtxDomainCreateA("llmserve");
  char text[64];
  for (int i = 0; i < 100; ++i) {
    snprintf(text, sizeof text, "range %d of a tiny thread", i);
    nvtxRangePushA(text);
    nvtxRangePop();
  }
  nvtxRangePushA("open at the end of the thread");
  return argument;
}

static int RunTinyStacks(int threads) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) != 0) return 4;
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, ServeOnTinyStack, NULL) != 0) return 4;
    pthread_join(thread, NULL);
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int result = 2;
  if (strcmp(how, "file_size") == 0) {
    Limit(RLIMIT_FSIZE, 20000);
    domain = HostDomain();
    Record(0);
    result = 0;
  }
  if (strcmp(how, "address_space") == 0) result = RunAddressSpace(96u << 20, 90u << 20);
  if (strcmp(how, "address_room") == 0) result = RunAddressSpace(1u << 30, 600u << 20);
  if (strcmp(how, "descriptors") == 0) result = RunDescriptors();
  if (strcmp(how, "tiny_stack") == 0) {
    domain = HostDomain();
    result = RunTinyStacks(50);
  }
  if (strcmp(how, "first_on_tiny") == 0) result = RunTinyStacks(1);
  printf("%s: %d\n", how, result);
  return result;
}
