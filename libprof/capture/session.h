// Session: the life of the recorder in one process: idle -> running -> finished, and idle again in a forked child.
// Start is called by the doors on host threads (several may race: one wins, the others wait until it is through, about
// a millisecond). Everything heavy happens on the worker. There is one Session, static, zero at load: a process that
// never knocks at a door pays nothing.
#pragma once

#include <sys/types.h>

#include <atomic>

#include "capture/config.h"
#include "capture/control.h"
#include "capture/pipeline.h"
#include "capture/process_mark.h"
#include "capture/worker.h"

namespace slowtoken::capture {

class Session {
 public:
  // What injection/ wires in: makes the sources in the session's arena. Called once per process, inside Start.
  struct Wiring {
    // Returns false when the sources do not fit into the memory.
    bool (*make_sources)(base::Arena& arena, const Config& config, Pipeline& pipeline) = nullptr;
    // Puts a mark of slowtoken's own into the trace; false: not now.
    bool (*mark)(const char* text) = nullptr;
    // The child of a fork has forgotten the session: drop pointers to its sources.
    void (*forget_in_child)() = nullptr;
  };

  // True when the session runs. False: the profiler stays off in this process.
  bool Start(const Wiring& wiring);

  bool running() const { return state_.load(std::memory_order_acquire) == State::kRunning; }
  const Config& config() const { return config_; }
  // Only while running.
  Pipeline& pipeline() { return *pipeline_; }

  // Writes what is there now; in flight mode, dumps the ring. Returns at once.
  void Snapshot();

  // Puts a mark of slowtoken's own into the trace; false if it was not recorded. Any thread, at the cost of a mark.
  bool Mark(const char* text);

  // Stops recording (true) or goes on (false); the interval between is written as blind. Returns at once.
  void Pause(bool paused);

  // Asks libc to call Finish before the exit handlers it knows by now: handlers run in reverse order, and a library
  // that came after the session's start (CUPTI) shuts down in one of its own (bug log row 4). Host threads, at a door.
  void FinishBeforeWhatIsLoadedNow();

  // The last round, bounded by host-safety rule 9, at exit. Nothing is recorded afterwards.
  void Finish();

 private:
  enum class State : int { kIdle, kStarting, kRunning, kFinished, kFailed };

  bool StartOnce();
  bool MakeControl();
  bool Look();
  void LastRound(base::TimeNs deadline);
  bool WaitForStart() const;
  static void OnExit(int status, void* self);
  static void OnFork();

  std::atomic<State> state_{State::kIdle};
  Wiring wiring_;
  Config config_;
  base::Arena arena_;
  Pipeline* pipeline_ = nullptr;  // in the arena
  Control* control_ = nullptr;    // in the arena; absent if it is switched off
  Worker worker_;
  std::atomic<pid_t> starter_{0};  // thread that is starting, while state_ is kStarting
  ProcessMark mark_;
  bool hooks_installed_ = false;  // on_exit and atfork handlers are inherited by a child: installed once

  static std::atomic<Session*> instance_;
};

}  // namespace slowtoken::capture
