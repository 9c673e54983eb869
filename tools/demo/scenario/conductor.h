// Runs the injections of `--scenario`: decides when each begins, forwards what the engine does to those under way, and
// writes their lines into the truth file. Owned by the engine; its thread only.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "scenario/injector.h"

namespace slowtoken::demo {

class Conductor {
 public:
  // `stage` and `truth` must outlive the conductor.
  Conductor(const std::vector<Injection>& injections, Stage stage, TruthFile& truth);
  ~Conductor();

  // Whether it must be asked now and then (Poll) even while the engine is idle.
  bool active() const { return !waiting_.empty() || !running_.empty(); }

  void Poll(TimeNs now);  // ends what is over, begins what is due
  void OnQueued(Request& request);
  void InSchedule();
  void OnAdmitted(Request& request);
  void OnPreempted(Request& request);
  void OnPlan(const std::vector<Row>& rows, Plan& plan);
  void OnResult(const std::vector<Row>& rows, const PlanResult& result);

 private:
  bool Due(const Injection& injection, TimeNs now);
  bool SomebodyToHit(const Injection& injection, TimeNs now) const;
  void Begin(const Injection& injection);

  Stage stage_;
  TruthFile& truth_;
  std::deque<Injection> waiting_;  // in the order in which they begin
  std::vector<std::unique_ptr<Injector>> running_;
  TimeNs first_request_ = 0;
  TimeNs quiet_since_ = 0;  // when the last injection was over
};

}  // namespace slowtoken::demo
