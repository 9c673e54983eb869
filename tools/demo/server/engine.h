// The engine: takes requests from the frontend, runs iterations until none is left, and reports tokens. Run() is the
// engine's thread (scheduling, and launching where the worker is in this process); a second thread only receives, so
// that a request is queued the moment it comes. Emits the scheduler's share of the `llmserve` vocabulary and of the
// truth file.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "core/batch_diff.h"
#include "core/channel.h"
#include "core/config.h"
#include "core/messages.h"
#include "core/scheduler.h"
#include "core/truth.h"
#include "core/worker_port.h"
#include "scenario/conductor.h"

namespace slowtoken::demo {

class Engine : private SchedulerObserver {
 public:
  // All must outlive the engine. `injections`: of --scenario.
  Engine(const Config& config, Channel& frontend, WorkerPort& worker, TruthFile& truth,
         const std::vector<Injection>& injections = {});
  ~Engine() override;

  // Serves until the frontend closes the channel (OK) or the GPU fails (all requests end with `error`).
  absl::Status Run();

 private:
  // What came from the frontend and the engine's thread has not looked at yet.
  struct Inbox {
    struct Arrival {
      Submit submit;
      TimeNs queued = 0;
    };
    std::vector<Arrival> arrivals;
    std::vector<std::string> aborts;
    bool closed = false;
    bool empty() const { return arrivals.empty() && aborts.empty() && !closed; }
  };

  void ReceiveLoop();
  bool TakeInbox();
  void AwaitInbox(std::unique_lock<std::mutex>& lock);
  absl::Status Step();
  void TellBatch(const std::vector<Row>& rows);
  Plan MakePlan(const std::vector<Row>& rows) const;
  void Update(const std::vector<Row>& rows, PlanResult& result);
  Output CommitRow(const Row& row, std::vector<int32_t> tokens);
  void Finish(Request& request, FinishReason reason, Output& output);
  void EndAll(FinishReason reason);
  void WriteTruth(const std::vector<Row>& rows, const Interval& schedule, const PlanResult& result);

  void OnScheduled(Request& request) override;
  void OnResumed(Request& request) override;
  void OnPreempted(Request& request) override;
  void OnWaiting(Request& request) override;
  void OnKvAlloc(const Request& request, int64_t blocks) override;
  void OnKvEvict(const Request& request, int64_t blocks) override;
  void OnKvDone() override;

  const Config& config_;
  Channel& frontend_;
  WorkerPort& worker_;
  TruthFile& truth_;
  Scheduler scheduler_;
  BatchDiff batch_diff_;
  Conductor conductor_;
  int64_t iter_ = 0;
  int64_t iterations_taken_ = 0;  // by a scenario, after `iter_`
  int64_t batch_seq_ = 0;
  TimeNs schedule_start_ = 0;  // of the current iteration

  std::mutex inbox_mutex_;
  std::condition_variable inbox_filled_;
  Inbox inbox_;
  std::thread receiver_;
};

}  // namespace slowtoken::demo
