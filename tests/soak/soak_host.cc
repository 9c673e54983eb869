#include "soak_host.h"

#include <unistd.h>

#include "base/time.h"
#include "virtual_clock.h"

namespace slowtoken::soak {
namespace {

constexpr uint64_t kKernelNs = 15'000;
constexpr size_t kKernelsInARow = 8;  // without a pause; then the GPU waits for a moment
constexpr uint64_t kPauseNs = 3'000;
constexpr uint64_t kBetweenIterationsNs = 300'000;

}  // namespace

SoakHost::SoakHost() : thread_(static_cast<uint32_t>(gettid())) {
  static constexpr const char* kNames[] = {"_Z9attention", "_Z4gemm", "_Z4norm", "_Z4rope", "_Z10activation"};
  for (int i = 0; i < kKernels; ++i) {
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.contextId = 1;
    kernel.streamId = static_cast<uint32_t>(7 + i % 4);
    kernel.gridX = 1 + i % 40;
    kernel.gridY = kernel.gridZ = 1;
    kernel.blockX = 128;
    kernel.blockY = kernel.blockZ = 1;
    kernel.registersPerThread = 32;
    kernel.graphId = 5;
    kernel.graphNodeId = (uint64_t{5} << 32) + static_cast<uint64_t>(i);
    kernel.name = kNames[i % 5];
    graph_.push_back(kernel);
  }
}

void SoakHost::Append(const void* record, size_t size, bool kernel) {
  if (buffer_ == nullptr || used_ + size > size_) {
    HandOver();
    size_t most = 0;
    bench::g_request(&buffer_, &size_, &most);
    used_ = 0;
    if (buffer_ == nullptr) {
      totals_.no_buffer += kernel ? 1 : 0;
      return;
    }
  }
  memcpy(buffer_ + used_, record, size);
  used_ += size;
  totals_.kernels += kernel ? 1 : 0;
}

void SoakHost::HandOver() {
  if (buffer_ != nullptr) bench::g_complete(nullptr, 0, buffer_, size_, used_);
  buffer_ = nullptr;
}

void SoakHost::Admit(Running& running) {
  snprintf(running.id.data(), running.id.size(), "soak-%llu", static_cast<unsigned long long>(next_request_++));
  running.tokens = 0;
  llmserve_req about;
  about.req = running.id.data();
  about.n_prompt = 64;
  running.life = llmserve_req_begin(&about);
  llmserve_queued(running.id.data());
  llmserve_scheduled(running.id.data(), static_cast<int64_t>(totals_.iterations), 0, 0);
  totals_.nvtx_events += 3;
}

void SoakHost::EmitBatch() {
  llmserve_iter key;
  key.iter = static_cast<int64_t>(totals_.iterations);
  llmserve_batch batch;
  llmserve_batch_start(&batch, &key, key.iter);
  for (const Running& running : batch_) {
    llmserve_batch_row(&batch, LLMSERVE_SET, running.id.data(), running.tokens == 0 ? 64 : 1,
                       running.tokens == 0 ? LLMSERVE_ROW_PREFILL : LLMSERVE_ROW_DECODE);
  }
  llmserve_batch_emit(&batch);
  ++totals_.nvtx_events;
}

// The launching call inside `iter`, then the kernels behind it; time goes on to their end. CUPTI's clock is that of
// CLOCK_REALTIME, as in the real one.
void SoakHost::Launch() {
  llmserve_iter info;
  info.iter = static_cast<int64_t>(totals_.iterations);
  llmserve_iter_push(&info);
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = 311;  // cudaGraphLaunch_v10000
  call.start = base::RealtimeNow();
  MoveClockOn(5'000);
  call.end = base::RealtimeNow();
  call.threadId = thread_;
  call.correlationId = ++correlation_;
  llmserve_pop();
  totals_.nvtx_events += 2;
  Append(&call, sizeof call, false);
  uint64_t at = call.end;
  for (CUpti_ActivityKernel10& kernel : graph_) {
    kernel.start = at + (kernel.graphNodeId % kKernelsInARow == 0 ? kPauseNs : 0);
    kernel.end = at = kernel.start + kKernelNs;
    kernel.correlationId = correlation_;
    Append(&kernel, sizeof kernel, true);
  }
  MoveClockOn(at - call.end);
}

void SoakHost::Iterate() {
  for (Running& running : batch_) {
    if (running.life == 0) Admit(running);
  }
  EmitBatch();
  Launch();
  for (Running& running : batch_) {
    ++running.tokens;
    llmserve_token(running.id.data(), running.tokens, 1, static_cast<int64_t>(totals_.iterations));
    ++totals_.tokens;
    ++totals_.nvtx_events;
    if (running.tokens < kTokensEach) continue;
    llmserve_finished(running.id.data(), LLMSERVE_FINISH_LENGTH);
    llmserve_end(running.life);
    running.life = 0;
    ++totals_.requests;
    totals_.nvtx_events += 2;
  }
  ++totals_.iterations;
  MoveClockOn(kBetweenIterationsNs);
}

}  // namespace slowtoken::soak
