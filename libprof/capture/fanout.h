// Fanout: every event goes to attribution and to what writes the trace, in that order, and `batch` marks then to the
// live batches. Worker thread; one call each. Counts events per round, so that the worker knows when nothing
// happened, and notes which threads they are from.
#pragma once

#include "attribution/live_batches.h"
#include "capture/active_threads.h"
#include "capture/detail_filter.h"
#include "capture/devices_in_use.h"
#include "capture/pause_gate.h"
#include "record/visitor.h"

namespace slowtoken::capture {

class Fanout : public record::EventVisitor {
 public:
  void Init(record::EventVisitor& attribution, DetailFilter& written, attribution::LiveBatches& batches) {
    attribution_ = &attribution;
    written_ = &written;
    batches_ = &batches;
  }

  void On(const record::Kernel& e) override { Gated(e); }
  void On(const record::Memcpy& e) override { Gated(e); }
  void On(const record::Memset& e) override { Gated(e); }
  void On(const record::GraphLaunch& e) override { Gated(e); }
  void On(const record::ApiCall& e) override {
    Gated(e);
    active_.Note({&e, 1});
  }
  void On(const record::Synchronization& e) override { Gated(e); }
  void On(const record::Overhead& e) override { Gated(e); }
  void On(const record::NvtxRange& e) override { Both(e); }
  void On(const record::NvtxMark& e) override { Both(e); }
  void On(const record::Annotation& e) override {
    Both(e);
    active_.Note(e);
    if (e.name == record::AnnotationName::kBatch) batches_->Add(e);
  }
  void On(const record::DeviceInfo& e) override {
    devices_.Add(e);
    Both(e);
  }
  void On(const record::ContextInfo& e) override {
    devices_.Add(e);
    Both(e);
  }
  void On(const record::StreamInfo& e) override { Both(e); }
  void On(const record::ThreadInfo& e) override {
    Both(e);
    active_.Note(e);
  }
  void On(const record::NvtxDomainInfo& e) override { Both(e); }
  void On(const record::NvtxCategoryInfo& e) override { Both(e); }
  void On(const record::RequestIdText& e) override { Both(e); }
  void On(const record::SourceStatus& e) override { Both(e); }
  void On(const record::OffCpu& e) override { Aside(e); }
  void On(const record::CpuSample& e) override { Aside(e); }
  void On(const record::HostSample& e) override { Aside(e); }
  void On(const record::Condition& e) override { Both(e); }
  void On(const record::DeviceSample& e) override { Both(e); }
  void On(std::span<const record::Kernel> e) override { Many(e); }
  void On(std::span<const record::ApiCall> e) override {
    Many(e);
    active_.Note(e);
  }

  uint64_t events() const { return events_; }
  PauseGate& gate() { return gate_; }
  ActiveThreads& active() { return active_; }
  const DevicesInUse& devices() const { return devices_; }

 private:
  template <typename Event>
  void Gated(const Event& event) {
    if (gate_.Passes(event)) [[likely]] {
      Both(event);
    }
  }
  template <typename Event>
  void Both(const Event& event) {
    ++events_;
    attribution_->On(event);
    written_->On(event);
  }

  // Told of an idle process too, and does not make it a busy one.
  template <typename Event>
  void Aside(const Event& event) {
    attribution_->On(event);
    written_->On(event);
  }

  template <typename Event>
  void Many(std::span<const Event> events) {
    if (!gate_.PassesAll(events)) [[unlikely]] {
      for (const Event& event : events) Gated(event);
      return;
    }
    events_ += events.size();
    attribution_->On(events);
    written_->On(events);
  }

  record::EventVisitor* attribution_ = nullptr;
  DetailFilter* written_ = nullptr;
  attribution::LiveBatches* batches_ = nullptr;
  uint64_t events_ = 0;
  PauseGate gate_;
  ActiveThreads active_;
  DevicesInUse devices_;
};

}  // namespace slowtoken::capture
