#include "capture/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "capture/address_space.h"

namespace slowtoken::capture {
namespace {

constexpr uint32_t kExitLimitMs = 200;  // host-safety rule 9

}  // namespace

std::atomic<Session*> Session::instance_{nullptr};

bool Session::Start(const Wiring& wiring) {
  State expected = State::kIdle;
  if (!state_.compare_exchange_strong(expected, State::kStarting, std::memory_order_acq_rel)) {
    return expected == State::kRunning || (expected == State::kStarting && WaitForStart());
  }
  starter_.store(gettid(), std::memory_order_relaxed);
  wiring_ = wiring;
  const bool started = StartOnce();
  state_.store(started ? State::kRunning : State::kFailed, std::memory_order_release);
  if (!started) base::Log(base::LogLevel::kError, "could not start; the program runs unprofiled");
  return started;
}

// A module whose door was told "no" stays unrecorded for ever, so a door waits for the thread that is starting, but not
// longer than a start can take. That thread itself may come here again: a host's own pthread_create may use NVTX.
bool Session::WaitForStart() const {
  if (starter_.load(std::memory_order_relaxed) == gettid()) return true;
  constexpr timespec kNap{0, 100'000};
  for (int i = 0; i < 1000 && state_.load(std::memory_order_acquire) == State::kStarting; ++i) {
    nanosleep(&kNap, nullptr);
  }
  return running();
}

bool Session::StartOnce() {
  config_ = Config::FromEnvironment();
  if (!AddressSpaceAllows(config_.memory_bytes)) {
    base::Log(base::LogLevel::kError,
              "the limit on this process's memory (ulimit -v, -d) leaves no room for the profiler");
    return false;
  }
  ClockMap::TscUsable();
  if (!arena_.Reserve(config_.memory_bytes, /*populate=*/false)) {
    base::Log(base::LogLevel::kError, "cannot reserve SLOWTOKEN_MEMORY bytes: ", strerrordesc_np(errno));
    return false;
  }
  pipeline_ = arena_.Make<Pipeline>();
  if (pipeline_ == nullptr || !pipeline_->Init(arena_, config_) || !MakeControl() ||
      !wiring_.make_sources(arena_, config_, *pipeline_) || !mark_.Init(arena_)) {
    pipeline_ = nullptr;
    control_ = nullptr;
    arena_.Abandon();  // a source may have published a pointer into it
    return false;
  }
  instance_.store(this, std::memory_order_release);
  if (!hooks_installed_) {
    hooks_installed_ = true;
    FinishBeforeWhatIsLoadedNow();
    pthread_atfork(nullptr, nullptr, &Session::OnFork);
  }
  const Worker::Job job{[](void* self) { static_cast<Session*>(self)->pipeline_->Round(); },
                        [](void* self, base::TimeNs deadline) { static_cast<Session*>(self)->LastRound(deadline); },
                        this, [](void* self) { return static_cast<Session*>(self)->Look(); },
                        [](void* self) { return static_cast<Session*>(self)->pipeline_->LookPeriodMs(); }};
  return worker_.Start(job, config_.flush_ms);
}

bool Session::MakeControl() {
  if (!config_.control) return true;
  control_ = arena_.Make<Control>();
  return control_ != nullptr && control_->Init(arena_, config_, *pipeline_, wiring_.mark);
}

bool Session::Look() {
  const bool needed = pipeline_->Look();
  return (control_ != nullptr && control_->Poll()) || needed;
}

void Session::LastRound(base::TimeNs deadline) {
  if (control_ != nullptr) control_->Close();
  pipeline_->LastRound(deadline);
}

bool Session::Mark(const char* text) { return running() && wiring_.mark != nullptr && wiring_.mark(text); }

void Session::Snapshot() {
  if (!running() || !mark_.Here()) return;
  pipeline_->Fire(record::TriggerKind::kProgram, {});
  worker_.Wake();
}

void Session::Pause(bool paused) {
  if (!running() || !mark_.Here()) return;
  pipeline_->Pause(paused);
  worker_.Wake();
}

// In a child made without libc's fork (a raw clone) nobody told us; there is no worker to wait for, and its mutex may
// have been copied while it was held.
void Session::Finish() {
  if (!mark_.Here()) return;
  State expected = State::kRunning;
  if (!state_.compare_exchange_strong(expected, State::kFinished, std::memory_order_acq_rel)) return;
  pipeline_->ExpectEnd();
  if (!worker_.Stop(kExitLimitMs)) base::Log(base::LogLevel::kError, "the last flush took more than 200 ms; gave up");
}

// Not atexit: that would need __cxa_atexit and __dso_handle.
void Session::FinishBeforeWhatIsLoadedNow() { on_exit(&Session::OnExit, this); }

void Session::OnExit(int, void* self) { static_cast<Session*>(self)->Finish(); }

// The child has neither our worker nor a usable CUDA. It becomes silent, and may start anew if it initialises CUDA or
// NVTX itself. The parent's memory stays mapped (copy on write) and unused: releasing it could fault a stray pointer.
void Session::OnFork() {
  Session* session = instance_.load(std::memory_order_acquire);
  if (session == nullptr) return;
  if (session->pipeline_ != nullptr) session->pipeline_->ForgetInChild();
  session->pipeline_ = nullptr;
  if (session->control_ != nullptr) session->control_->ForgetInChild();
  session->control_ = nullptr;
  if (session->wiring_.forget_in_child != nullptr) session->wiring_.forget_in_child();
  session->worker_.ForgetInChild();
  session->arena_.Abandon();
  session->state_.store(State::kIdle, std::memory_order_release);
}

}  // namespace slowtoken::capture
