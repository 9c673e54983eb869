// Calls CUPTI at the moment its argument names: early (a load-time constructor), in_main, at_exit (an exit handler),
// late (a destructor that runs after them), no_driver. Exits with 0 when the library behaved as expected there.
#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool Asked(const char* moment) {
  // The argument is wanted before main: the command line is read from the kernel's copy.
  char line[4096] = {};
  FILE* file = std::fopen("/proc/self/cmdline", "r");
  if (file == nullptr) return false;
  const size_t length = std::fread(line, 1, sizeof(line) - 1, file);
  std::fclose(file);
  const size_t program = std::strlen(line) + 1;
  return program < length && std::strcmp(line + program, moment) == 0;
}

// CUPTI is loaded as a tool loads it: by name, at the moment of its first use.
template <class Function>
Function* Find(const char* name) {
  void* library = dlopen(SIMGPU_LIBRARY_DIR "/libcupti.so.13", RTLD_NOW);
  auto* found = library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
  if (found == nullptr) _exit(2);
  return found;
}

#define FIND(function) Find<decltype(function)>(#function)

void Call() {
  uint32_t version = 0;
  if (FIND(cuptiGetVersion)(&version) != CUPTI_SUCCESS) _exit(1);
}

[[gnu::constructor]] void Early() {
  if (Asked("early")) Call();
}

[[gnu::destructor]] void Late() {
  if (Asked("late")) Call();
}

void Request(uint8_t** buffer, size_t* size, size_t* records) {
  *buffer = nullptr;
  *size = 0;
  *records = 0;
}

void Complete(CUcontext, uint32_t, uint8_t*, size_t, size_t) {}

// The answers of the real 13.0 library on a machine without a driver.
bool AnswersWithoutDriver() {
  CUpti_SubscriberHandle subscriber = nullptr;
  uint64_t now = 0;
  size_t dropped = 0;
  return FIND(cuptiSubscribe)(&subscriber, nullptr, nullptr) == CUPTI_ERROR_UNKNOWN &&
         FIND(cuptiActivityEnable)(CUPTI_ACTIVITY_KIND_RUNTIME) == CUPTI_ERROR_UNKNOWN &&
         FIND(cuptiActivityRegisterCallbacks)(Request, Complete) == CUPTI_SUCCESS &&
         FIND(cuptiActivityFlushAll)(0) == CUPTI_ERROR_UNKNOWN && FIND(cuptiGetTimestamp)(&now) == CUPTI_SUCCESS &&
         now != 0 && FIND(cuptiActivityGetNumDroppedRecords)(nullptr, 0, &dropped) == CUPTI_SUCCESS;
}

}  // namespace

int main() {
  if (Asked("no_driver")) return AnswersWithoutDriver() ? 0 : 1;
  if (Asked("in_main") || Asked("at_exit") || Asked("late")) Call();
  if (Asked("at_exit")) std::atexit(Call);
  return 0;
}
