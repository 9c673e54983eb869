// EventVisitor: the one way events travel, inside the process (worker -> encoder and attribution) and offline
// (reader -> attribution, analyses, exports). Each overload defaults to doing nothing: a visitor takes what it needs.
// Called by one thread at a time. Costs one virtual call per event; kernels and API calls, which come by the hundred
// thousand, may come many at a time, which means the same as one after the other. Not pure virtual and without a
// virtual destructor on purpose: both would pull C++ run-time symbols into libslowtoken.so.
#pragma once

#include <span>

#include "record/annotation.h"
#include "record/conditions.h"
#include "record/detail_events.h"
#include "record/gpu_events.h"
#include "record/host_events.h"
#include "record/nvtx_events.h"
#include "record/resources.h"
#include "record/session_events.h"
#include "record/summaries.h"
#include "record/thread_states.h"

namespace slowtoken::record {

class EventVisitor {
 public:
  virtual void On(const Kernel&) {}
  virtual void On(const Memcpy&) {}
  virtual void On(const Memset&) {}
  virtual void On(const GraphLaunch&) {}
  virtual void On(const ApiCall&) {}
  virtual void On(const Synchronization&) {}
  virtual void On(const Overhead&) {}
  virtual void On(const NvtxRange&) {}
  virtual void On(const NvtxMark&) {}
  virtual void On(const Annotation&) {}
  virtual void On(const DeviceInfo&) {}
  virtual void On(const ContextInfo&) {}
  virtual void On(const StreamInfo&) {}
  virtual void On(const ThreadInfo&) {}
  virtual void On(const NvtxDomainInfo&) {}
  virtual void On(const NvtxCategoryInfo&) {}
  virtual void On(const RequestIdText&) {}
  virtual void On(const ClockSnapshot&) {}
  virtual void On(const LossTotals&) {}
  virtual void On(const SourceStatus&) {}
  virtual void On(const OwnCost&) {}
  virtual void On(const CaptureTotals&) {}
  virtual void On(const Advance&) {}
  virtual void On(const RequestSummary&) {}
  virtual void On(const GapSummary&) {}
  virtual void On(const IterationSummary&) {}
  virtual void On(const HistogramSnapshot&) {}
  virtual void On(const CounterSnapshot&) {}
  virtual void On(const DetailChange&) {}
  virtual void On(const Trigger&) {}
  virtual void On(const Condition&) {}
  virtual void On(const DeviceSample&) {}
  virtual void On(const OffCpu&) {}
  virtual void On(const CpuSample&) {}
  virtual void On(const HostSample&) {}

  virtual void On(std::span<const Kernel> kernels) { OneByOne(kernels); }
  virtual void On(std::span<const ApiCall> calls) { OneByOne(calls); }

 protected:
  ~EventVisitor() = default;

 private:
  template <typename Event>
  void OneByOne(std::span<const Event> events) {
    for (const Event& event : events) On(event);
  }
};

}  // namespace slowtoken::record
