// JoinVisitor: what GpuJoin finds out, for analyses that need more of it than iterations: GPU records with their
// launches, launches with their GPU times. Called by Engine's thread while it concludes; offline only, so the worker
// pays a test against nullptr. Without a virtual destructor on purpose (record/visitor.h).
#pragma once

#include "attribution/gpu_record.h"
#include "attribution/launch_table.h"

namespace slowtoken::attribution {

class JoinVisitor {
 public:
  // Every GPU record, once, about in order of time. `launch` is what is known of its call by then; nullptr: the call
  // was not recorded.
  virtual void OnWork(const GpuRecord& record, const Launch* launch) = 0;

  // A launch that leaves the join, with all its GPU records told. Until then `launch` of these is the same object.
  virtual void OnLaunch(const Launch& launch) = 0;

  // Every launch that began before `time` has left.
  virtual void OnToldUntil(base::TimeNs time) = 0;

 protected:
  ~JoinVisitor() = default;
};

}  // namespace slowtoken::attribution
