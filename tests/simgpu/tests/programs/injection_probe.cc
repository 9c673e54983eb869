// An injection library that calls CUDA inside InitializeInjection, as the driver permits, and counts.
#include <cuda.h>
#include <dlfcn.h>

extern "C" {
int probe_calls = 0;
int probe_devices = -1;
int probe_second_init = -1;

int InitializeInjection() {
  ++probe_calls;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto count = reinterpret_cast<CUresult (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  auto init = reinterpret_cast<CUresult (*)(unsigned)>(dlsym(driver, "cuInit"));
  probe_second_init = init(0);
  count(&probe_devices);
  return 1;
}
}
