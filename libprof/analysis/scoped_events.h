// ScopedEvents: hands every event on, annotations and clear request ids under the engine and request they belong to
// (EngineScopes). Used only where a reading holds engines that call themselves the same. Single threaded.
#pragma once

#include <vector>

#include "analysis/engine_scopes.h"

namespace slowtoken::analysis {

template <typename Target>
class ScopedEvents final : public record::EventVisitor {
 public:
  ScopedEvents(EngineScopes& scopes, Target& target) : scopes_(&scopes), target_(&target) {}

  void On(const record::Annotation& annotation) override { target_->On(scopes_->Scoped(annotation, rows_)); }
  void On(const record::RequestIdText& text) override {
    target_->On(record::RequestIdText{scopes_->Scoped(text.req, text.process), text.text, text.process});
  }

#define SLOWTOKEN_PASS_ON(Event) \
  void On(const record::Event& event) override { target_->On(event); }
  SLOWTOKEN_PASS_ON(Kernel)
  SLOWTOKEN_PASS_ON(Memcpy)
  SLOWTOKEN_PASS_ON(Memset)
  SLOWTOKEN_PASS_ON(GraphLaunch)
  SLOWTOKEN_PASS_ON(ApiCall)
  SLOWTOKEN_PASS_ON(Synchronization)
  SLOWTOKEN_PASS_ON(Overhead)
  SLOWTOKEN_PASS_ON(NvtxRange)
  SLOWTOKEN_PASS_ON(NvtxMark)
  SLOWTOKEN_PASS_ON(DeviceInfo)
  SLOWTOKEN_PASS_ON(ContextInfo)
  SLOWTOKEN_PASS_ON(StreamInfo)
  SLOWTOKEN_PASS_ON(ThreadInfo)
  SLOWTOKEN_PASS_ON(NvtxDomainInfo)
  SLOWTOKEN_PASS_ON(NvtxCategoryInfo)
  SLOWTOKEN_PASS_ON(ClockSnapshot)
  SLOWTOKEN_PASS_ON(LossTotals)
  SLOWTOKEN_PASS_ON(SourceStatus)
  SLOWTOKEN_PASS_ON(OwnCost)
  SLOWTOKEN_PASS_ON(CaptureTotals)
  SLOWTOKEN_PASS_ON(Advance)
  SLOWTOKEN_PASS_ON(RequestSummary)
  SLOWTOKEN_PASS_ON(GapSummary)
  SLOWTOKEN_PASS_ON(IterationSummary)
  SLOWTOKEN_PASS_ON(HistogramSnapshot)
  SLOWTOKEN_PASS_ON(CounterSnapshot)
  SLOWTOKEN_PASS_ON(DetailChange)
  SLOWTOKEN_PASS_ON(Trigger)
  SLOWTOKEN_PASS_ON(Condition)
  SLOWTOKEN_PASS_ON(DeviceSample)
  SLOWTOKEN_PASS_ON(OffCpu)
  SLOWTOKEN_PASS_ON(CpuSample)
  SLOWTOKEN_PASS_ON(HostSample)
#undef SLOWTOKEN_PASS_ON

 private:
  EngineScopes* scopes_;
  Target* target_;
  std::vector<record::BatchRow> rows_;
};

}  // namespace slowtoken::analysis
