/* A little GPU work for host programs that are plain C: with HOST_GPU set, the driver is opened by name, as hosts with
 * a static CUDA runtime do (bug log row 79), and every request copies and clears memory. Without it nothing happens.
 * What the calls answer is the host's business: a plan of faults may refuse them, and a forked child has no GPU. */
#ifndef SLOWTOKEN_TESTS_HOSTS_GPU_WORK_H_
#define SLOWTOKEN_TESTS_HOSTS_GPU_WORK_H_

#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>

struct Gpu {
  int open;
  CUdeviceptr memory;
  CUresult (*memset_async)(CUdeviceptr, unsigned char, size_t, CUstream);
  CUresult (*copy_async)(void*, CUdeviceptr, size_t, CUstream);
  CUresult (*synchronize)(CUstream);
};

static struct Gpu gpu;

/* Everything through cuGetProcAddress: no symbol of CUDA is bound by the loader. */
static inline void OpenGpu(void) {
  if (getenv("HOST_GPU") == NULL || gpu.open) return;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == NULL) return;
  CUresult (*find)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*) = NULL;
  *(void**)&find = dlsym(driver, "cuGetProcAddress_v2");
  if (find == NULL) return;
#define SLOWTOKEN_FIND(name, to) find(name, (void**)&(to), 12040, CU_GET_PROC_ADDRESS_DEFAULT, NULL) == CUDA_SUCCESS
  CUresult (*init)(unsigned) = NULL;
  CUresult (*retain)(CUcontext*, CUdevice) = NULL;
  CUresult (*set_current)(CUcontext) = NULL;
  CUresult (*allocate)(CUdeviceptr*, size_t) = NULL;
  CUcontext context = NULL;
  if (!(SLOWTOKEN_FIND("cuInit", init)) || init(0) != CUDA_SUCCESS) return;
  if (!(SLOWTOKEN_FIND("cuDevicePrimaryCtxRetain", retain)) || !(SLOWTOKEN_FIND("cuCtxSetCurrent", set_current)) ||
      !(SLOWTOKEN_FIND("cuMemAlloc", allocate)) || !(SLOWTOKEN_FIND("cuMemsetD8Async", gpu.memset_async)) ||
      !(SLOWTOKEN_FIND("cuMemcpyDtoHAsync", gpu.copy_async)) ||
      !(SLOWTOKEN_FIND("cuStreamSynchronize", gpu.synchronize))) {
    return;
  }
#undef SLOWTOKEN_FIND
  if (retain(&context, 0) != CUDA_SUCCESS || set_current(context) != CUDA_SUCCESS) return;
  gpu.open = allocate(&gpu.memory, 4096) == CUDA_SUCCESS;
}

static inline void WorkOnGpu(int number) {
  unsigned char data[64];
  if (!gpu.open) return;
  gpu.memset_async(gpu.memory, (unsigned char)number, 4096, NULL);
  gpu.copy_async(data, gpu.memory, sizeof data, NULL);
  gpu.synchronize(NULL);
}

#endif
