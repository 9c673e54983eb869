// Host-safety rule 4, proved by interposition (watched_threads.h): once a thread's ring exists, its NVTX calls neither
// allocate, nor lock, nor enter the kernel, nor fault a page in, and keep errno. Exit code 0: nothing happened.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>

#include "ranges.h"
#include "watched_threads.h"

namespace {

namespace watch = slowtoken::watch;

nvtxDomainHandle_t g_domain = nullptr;
nvtxEventAttributes_t g_by_handle{};
bool g_trapped = false;  // system calls are watched
long g_faults = 0;
bool g_kept = false;  // errno
std::atomic<bool> g_finished{false};

long Faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

void ServeWatched() {
  const watch::Watch watched;
  for (int i = 0; i < 500; ++i) {
    ServeRequest(g_domain, i);
    nvtxDomainRangePushEx(g_domain, &g_by_handle);
    nvtxRangePushA("a plain range");
    nvtxRangePop();
    nvtxDomainRangePop(g_domain);
  }
}

// The host thread under watch. It never ends: its end would be system calls too.
void* Serve(void*) {
  for (int i = 0; i < 2000; ++i) ServeRequest(g_domain, i);
  usleep(600 * 1000);  // two rounds of the worker: everything it touches has been touched
  g_trapped = watch::TrapSystemCalls();
  const long before = Faults();
  errno = 4711;
  ServeWatched();
  g_kept = errno == 4711;
  g_faults = Faults() - before;
  g_finished = true;
  for (;;) watch::Yield();
  return nullptr;
}

}  // namespace

int main() {
  g_domain = nvtxDomainCreateA("llmserve");
  if (g_domain == nullptr) {
    puts("no tool is attached: there is nothing to watch");
    return 2;
  }
  g_by_handle.version = NVTX_VERSION;
  g_by_handle.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  g_by_handle.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  g_by_handle.message.registered = nvtxDomainRegisterStringA(g_domain, "a registered string");
  pthread_t thread;
  if (pthread_create(&thread, nullptr, Serve, nullptr) != 0) return 2;
  while (!g_finished) usleep(1000);
  const watch::ForbiddenCalls calls = watch::CallsWhileWatched();
  printf("allocations %ld, locks %ld, system calls %ld (the first: %ld), page faults %ld, errno %s\n",
         calls.allocations, calls.locks, calls.system_calls, calls.first_system_call, g_faults,
         g_kept ? "kept" : "changed");
  if (!g_trapped) puts("no seccomp here: system calls were not watched");
  fflush(stdout);
  if (calls.allocations != 0 || calls.locks != 0 || calls.system_calls != 0 || g_faults != 0 || !g_kept) _exit(1);
  _exit(g_trapped ? 0 : 77);
}
