// Tee: hands each event to two visitors in turn, so that one pass over a trace feeds attribution and the analyses.
// The cost of its own virtual call; calls to a `final` visitor class are resolved when compiled. Single threaded.
#pragma once

#include "record/visitor.h"

namespace slowtoken::analysis {

template <typename First, typename Second>
class Tee final : public record::EventVisitor {
 public:
  Tee(First& first, Second& second) : first_(&first), second_(&second) {}

#define SLOWTOKEN_TEE(Event)                     \
  void On(const record::Event& event) override { \
    first_->On(event);                           \
    second_->On(event);                          \
  }
  SLOWTOKEN_TEE(Kernel)
  SLOWTOKEN_TEE(Memcpy)
  SLOWTOKEN_TEE(Memset)
  SLOWTOKEN_TEE(GraphLaunch)
  SLOWTOKEN_TEE(ApiCall)
  SLOWTOKEN_TEE(Synchronization)
  SLOWTOKEN_TEE(Overhead)
  SLOWTOKEN_TEE(NvtxRange)
  SLOWTOKEN_TEE(NvtxMark)
  SLOWTOKEN_TEE(Annotation)
  SLOWTOKEN_TEE(DeviceInfo)
  SLOWTOKEN_TEE(ContextInfo)
  SLOWTOKEN_TEE(StreamInfo)
  SLOWTOKEN_TEE(ThreadInfo)
  SLOWTOKEN_TEE(NvtxDomainInfo)
  SLOWTOKEN_TEE(NvtxCategoryInfo)
  SLOWTOKEN_TEE(RequestIdText)
  SLOWTOKEN_TEE(ClockSnapshot)
  SLOWTOKEN_TEE(LossTotals)
  SLOWTOKEN_TEE(SourceStatus)
  SLOWTOKEN_TEE(OwnCost)
  SLOWTOKEN_TEE(CaptureTotals)
  SLOWTOKEN_TEE(Advance)
  SLOWTOKEN_TEE(RequestSummary)
  SLOWTOKEN_TEE(GapSummary)
  SLOWTOKEN_TEE(IterationSummary)
  SLOWTOKEN_TEE(HistogramSnapshot)
  SLOWTOKEN_TEE(CounterSnapshot)
  SLOWTOKEN_TEE(DetailChange)
  SLOWTOKEN_TEE(Trigger)
  SLOWTOKEN_TEE(Condition)
  SLOWTOKEN_TEE(DeviceSample)
  SLOWTOKEN_TEE(OffCpu)
  SLOWTOKEN_TEE(CpuSample)
  SLOWTOKEN_TEE(HostSample)
#undef SLOWTOKEN_TEE

 private:
  First* first_;
  Second* second_;
};

}  // namespace slowtoken::analysis
