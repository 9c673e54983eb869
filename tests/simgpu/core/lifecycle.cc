#include "simgpu/core/lifecycle.h"

#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "simgpu/core/device.h"
#include "simgpu/core/device_thread.h"
#include "simgpu/core/faults.h"
#include "simgpu/core/thread_state.h"
#include "simgpu/core/timeline.h"
#include "simgpu/core/tool.h"

namespace simgpu {
namespace {

std::atomic<bool> g_initialized{false};
std::atomic<int> g_end_state{0};

std::mutex& InitMutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}

void AtExit() { g_end_state.store(CUDA_ERROR_DEINITIALIZED); }

// No device thread exists in the child, and locks may have been held: only the end state is answered from here on.
void AtForkChild() {
  if (!g_initialized.load()) return;
  g_end_state.store(CUDA_ERROR_NOT_INITIALIZED);
  TheTimeline().ResetAfterFork();
  ResetDeviceThreadAfterFork();
  ToolForkedChild();
}

// As the real driver does: errors are silent, the program goes on without the tool.
void LoadInjection() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == 0) return;
  if (Fault("injection.missing", nullptr)) return;
  void* library = dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    if (std::getenv("SIMGPU_VERBOSE") != nullptr) std::fprintf(stderr, "simgpu: injection: %s\n", dlerror());
    return;
  }
  auto initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize != nullptr) initialize();
}

}  // namespace

ThreadState& Thread() {
  static thread_local ThreadState state;
  return state;
}

int ReadyError() {
  const int end = g_end_state.load(std::memory_order_relaxed);
  if (end != 0) return end;
  if (g_initialized.load(std::memory_order_acquire) || Thread().initialising) return CUDA_SUCCESS;
  return CUDA_ERROR_NOT_INITIALIZED;
}

int Initialize(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (EndState() != 0) return EndState();
  if (g_initialized.load(std::memory_order_acquire) || Thread().initialising) return CUDA_SUCCESS;
  if (DeviceCount() == 0) return CUDA_ERROR_NO_DEVICE;
  std::lock_guard lock(InitMutex());
  if (g_initialized.load()) return CUDA_SUCCESS;
  Thread().initialising = true;
  pthread_atfork(nullptr, nullptr, AtForkChild);
  std::atexit(AtExit);
  LoadInjection();
  ResourceEvent(SIMGPU_CU_INIT_FINISHED, nullptr).Send();
  g_initialized.store(true, std::memory_order_release);
  Thread().initialising = false;
  return CUDA_SUCCESS;
}

bool IsInitialized() { return g_initialized.load(std::memory_order_acquire); }
int EndState() { return g_end_state.load(std::memory_order_relaxed); }

const char* LibraryPath() {
  static const char* path = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&EndState), &info) != 0 ? info.dli_fname : "";
  }();
  return path;
}

}  // namespace simgpu
