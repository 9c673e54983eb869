/* Host-safety rule 4, proved by interposition: once a thread's ring exists, its NVTX calls neither allocate, nor lock, nor
 * enter the kernel, nor fault a page in. malloc and the lock functions of this program stand in front of libc's for the
 * whole process; system calls of this thread are trapped by a seccomp filter and counted. Exit code 0: nothing happened. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ranges.h"

/* Of the watched thread only: the worker has its own life. */
static volatile int watching;
static volatile long allocations, locks, system_calls;
static pthread_t watched;

static int Watched(void) { return watching && pthread_equal(pthread_self(), watched); }

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void __libc_free(void*);

void* malloc(size_t size) {
  if (Watched()) ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  if (Watched()) ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  if (Watched()) ++allocations;
  return __libc_realloc(old, size);
}
void free(void* block) {
  if (Watched()) ++allocations;
  __libc_free(block);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static int (*real)(pthread_mutex_t*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  if (Watched()) ++locks;
  return real(mutex);
}

static void OnTrap(int number, siginfo_t* info, void* context) {
  (void)number, (void)info, (void)context;
  ++system_calls;
}

/* From here on each system call of this thread raises SIGSYS, except the two that the watching itself needs. */
static int TrapSystemCalls(void) {
#define ALLOW(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_getrusage), ALLOW(SYS_rt_sigreturn),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  struct sigaction action = {0};
  action.sa_sigaction = OnTrap;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &action, NULL) != 0) return -1;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static nvtxDomainHandle_t domain;
static nvtxEventAttributes_t by_handle;
static volatile int traps; /* the filter is in place */
static volatile int finished;
static long trapped, faults;
static int kept;

/* The host thread under watch. It never ends: its end would be system calls too. */
static void* Serve(void* unused) {
  struct rusage before, after;
  for (int i = 0; i < 2000; ++i) ServeRequest(domain, i);
  usleep(600 * 1000); /* two rounds of the worker: everything it touches has been touched */
  traps = TrapSystemCalls() == 0;
  getrusage(RUSAGE_THREAD, &before);
  watched = pthread_self();
  errno = 4711;
  watching = 1;
  for (int i = 0; i < 500; ++i) {
    ServeRequest(domain, i);
    nvtxDomainRangePushEx(domain, &by_handle);
    nvtxRangePushA("a plain range");
    nvtxRangePop();
    nvtxDomainRangePop(domain);
  }
  watching = 0;
  kept = errno == 4711;
  trapped = system_calls;
  getrusage(RUSAGE_THREAD, &after);
  faults = after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt;
  finished = 1;
  for (;;) {
  }
  return unused;
}

int main(void) {
  domain = nvtxDomainCreateA("llmserve");
  if (domain == NULL) {
    puts("no tool is attached: there is nothing to watch");
    return 2;
  }
  by_handle.version = NVTX_VERSION;
  by_handle.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  by_handle.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  by_handle.message.registered = nvtxDomainRegisterStringA(domain, "a registered string");
  pthread_t thread;
  if (pthread_create(&thread, NULL, Serve, NULL) != 0) return 2;
  while (!finished) usleep(1000);
  printf("allocations %ld, locks %ld, system calls %ld, page faults %ld, errno %s\n", allocations, locks, trapped, faults,
         kept ? "kept" : "changed");
  if (!traps) puts("no seccomp here: system calls were not watched");
  fflush(stdout);
  if (allocations != 0 || locks != 0 || trapped != 0 || faults != 0 || !kept) _exit(1);
  _exit(traps ? 0 : 77);
}
