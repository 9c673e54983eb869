// What a program running on the simulated GPU may tell it: costs and host bodies of its kernels. Header only; safe on a
// real GPU, where Simgpu() returns NULL and the program goes on without. All functions may be called from any thread,
// before or after CUDA is up.
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One launch as its body or cost function sees it. Valid during the call only. */
typedef struct SimgpuLaunch {
  const char* name; /* mangled */
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared;
  uint32_t device;
  uint32_t argument_count; /* 0 if the module carries no parameter table */
  void* const* arguments;  /* argument i as a pointer to its copied bytes; copied at launch or capture */
} SimgpuLaunch;

/* Runs when the kernel's modelled end has passed, on the thread that advances the timeline. Must not call CUDA. Device
 * pointers must be translated with host_pointer. Work of one stream runs in order; bodies never run concurrently with
 * each other. */
typedef void (*SimgpuBody)(const SimgpuLaunch* launch, void* user);

/* Returns the duration of this launch in ns. Runs on the submitting thread at each launch; for graph nodes at each
 * graph launch, so it may read program state. Must not call CUDA. */
typedef uint64_t (*SimgpuCostFunction)(const SimgpuLaunch* launch, void* user);

typedef struct SimgpuProgramApi {
  uint32_t struct_size;
  /* `pattern`: glob (* and ?) over the mangled or the demangled name. The latest registration that matches wins, before
   * SIMGPU_COST. */
  void (*set_cost)(const char* pattern, uint64_t ns);
  void (*set_cost_function)(const char* pattern, SimgpuCostFunction function, void* user);
  void (*set_body)(const char* pattern, SimgpuBody body, void* user);
  /* Host alias of a device address, NULL if it is not device memory. Managed and pinned memory are returned unchanged.
   */
  void* (*host_pointer)(const void* device_address);
  /* The modelled cost in ns that a launch of `name` with `grid` blocks gets by pattern (cost functions excluded). */
  uint64_t (*model_cost)(const char* name, uint64_t blocks);
  /* Path of the loaded stand-in of libcuda.so.1. */
  const char* (*library_path)(void);
} SimgpuProgramApi;

/* Exported by the libcuda.so.1 stand-in only. */
const SimgpuProgramApi* simgpuProgram(void);

/* The table, or NULL on a real driver or without one. */
static inline const SimgpuProgramApi* Simgpu(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const SimgpuProgramApi* (*get)(void) = NULL;
  if (driver != NULL) *(void**)(&get) = dlsym(driver, "simgpuProgram");
  return get != NULL ? get() : NULL;
}

#ifdef __cplusplus
}
#endif
