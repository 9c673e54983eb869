// A CUPTI client that asks for exactly what slowtoken asks for and throws every record away: what CUPTI itself costs a
// server, whoever collects. Loaded by CUDA_INJECTION64_PATH; overhead.py measures slowtoken against it.
#include <cupti.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "base/arena.h"
#include "capture/config.h"
#include "cupti/api_classes.h"
#include "cupti/library_search.h"
#include "cupti/start_sequence.h"

namespace slowtoken {
namespace {

// Buffers and rounds as slowtoken has them.
constexpr size_t kBufferBytes = cupti::Options{}.buffer_bytes;
constexpr auto kRound = std::chrono::milliseconds(capture::Config{}.flush_ms);

cupti::ApiTable g_api;
decltype(g_api.register_callbacks) g_register;  // CUPTI's own: the table has RegisterOwn in its place

std::mutex g_mutex;
auto& g_free = *new std::vector<uint8_t*>;  // zeroed, as AttachToCupti promises CUPTI; CUPTI calls until the very end

void Request(uint8_t** buffer, size_t* size, size_t* records) {
  const std::lock_guard lock(g_mutex);
  if (g_free.empty()) {
    *buffer = static_cast<uint8_t*>(std::calloc(1, kBufferBytes));
  } else {
    *buffer = g_free.back();
    g_free.pop_back();
  }
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0;
}

void Complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  std::fill_n(buffer, valid, uint8_t{0});
  const std::lock_guard lock(g_mutex);
  g_free.push_back(buffer);
}

CUptiResult RegisterOwn(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc) {
  return g_register(Request, Complete);
}

bool Start() {
  g_api = cupti::ApiTable::FromHandle(cupti::FindCupti().handle);
  g_register = g_api.register_callbacks;
  if (g_register == nullptr) return false;
  g_api.register_callbacks = RegisterOwn;
  static base::Arena arena;
  static cupti::ApiClasses classes;
  static base::LossCounters losses;
  if (!arena.Reserve(4u << 20, /*populate=*/false) || !classes.Init(arena)) return false;
  classes.Fill(g_api);
  const cupti::Attachment attachment = cupti::AttachToCupti(g_api, cupti::Options{}, classes, losses);
  return attachment.state == record::SourceState::kActive;
}

}  // namespace
}  // namespace slowtoken

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  if (!slowtoken::Start()) {
    std::fputs("idle_client: could not attach to CUPTI\n", stderr);
    std::_Exit(1);  // a comparison with nothing would look like one
  }
  std::thread([] {
    for (;;) {
      std::this_thread::sleep_for(slowtoken::kRound);
      slowtoken::g_api.flush_all(0);
    }
  }).detach();
  return 1;
}
