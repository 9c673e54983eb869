// HostCall: the frame around every handler that records. It finds the thread's slot, refuses re-entry (a signal handler
// or allocator hook that calls NVTX inside a handler of ours), and tells what to record. Host threads; about 3 ns.
#pragma once

#include "nvtx/recorder.h"

namespace slowtoken::nvtx {

class HostCall {
 public:
  [[gnu::always_inline]] HostCall() : HostCall(*g_recorder.load(std::memory_order_acquire)) {}
  [[gnu::always_inline]] explicit HostCall(Recorder& recorder) : recorder_(recorder) {
    mode_ = recorder_.mode.load(std::memory_order_relaxed);
    HostThread* thread = mode_ == Mode::kSilent ? recorder_.threads.Find() : recorder_.threads.Current();
    if (thread == nullptr || thread->busy.load(std::memory_order_relaxed)) [[unlikely]] {
      if (mode_ == Mode::kRecording) recorder_.losses->Add(base::Loss::kNoThreadRing);
      return;
    }
    thread->busy.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_ = thread;
  }
  ~HostCall() {
    if (thread_ != nullptr) thread_->busy.store(false, std::memory_order_release);
  }
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

  // False: the thread has no slot, or this is a re-entry. Nesting is not followed then.
  bool has_thread() const { return thread_ != nullptr; }
  bool recording() const { return thread_ != nullptr && mode_ == Mode::kRecording; }
  // Also while paused: what must not be missed for what is recorded before and after.
  bool listening() const { return thread_ != nullptr && mode_ != Mode::kSilent; }

  Recorder& recorder() { return recorder_; }
  HostThread& thread() { return *thread_; }

 private:
  Recorder& recorder_;
  HostThread* thread_ = nullptr;
  Mode mode_ = Mode::kSilent;
};

}  // namespace slowtoken::nvtx
