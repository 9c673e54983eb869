// A host whose C++ objects use NVTX when nobody should any more: destructors of thread_local objects, of the main
// thread too, and of static objects, which run after main and on both sides of the profiler's own end; and a handler of
// exit.
#include <thread>

#include "ranges.h"

namespace {

struct Late {
  explicit Late(const char* name) : name_(name) {}
  ~Late() {
    nvtxRangePushA(name_);
    const nvtxDomainHandle_t domain = HostDomain();
    ServeRequest(domain, 7);
    nvtxDomainRegisterStringA(domain, name_);
    printf("%s\n", name_);
  }
  const char* name_;
};

Late g_before_everything("a static object, older than the profiler");
thread_local Late g_of_thread("an object of a thread");

void Work() {
  static_cast<void>(g_of_thread.name_);
  const nvtxDomainHandle_t domain = HostDomain();
  for (int i = 0; i < 10; ++i) ServeRequest(domain, i);
}

}  // namespace

int main() {
  Work();
  static Late younger("a static object, younger than the profiler");
  atexit([] {
    Work();
    puts("a handler of exit");
  });
  std::thread(Work).join();
  return 8;
}
