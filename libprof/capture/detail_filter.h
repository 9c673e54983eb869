// DetailFilter: everything that is to be written passes here, after attribution has seen it: detail (GPU work, calls,
// ranges, marks) to one encoder as far as the level allows, conclusions (summaries, histograms, counters) to another,
// and what both need to be read alone (resources, statuses, clocks, cost, triggers) to both. With one file a process
// both are the same encoder. Worker thread; a branch and the encoder's call an event.
#pragma once

#include "trace/chunk_encoder.h"

namespace slowtoken::capture {

class DetailFilter final : public record::EventVisitor {
 public:
  // Full detail from the start. The encoders may be the same.
  void Init(trace::ChunkEncoder& detail, trace::ChunkEncoder& conclusions, base::LossCounters& losses) {
    detail_ = &detail;
    conclusions_ = &conclusions;
    losses_ = &losses;
  }

  // Writes the change; from the next event on its level holds. Where nothing but conclusions is written, chunks come
  // once in kConclusionsPeriod and not in every round.
  void Apply(const record::DetailChange& change) {
    change_ = change;
    Both(change);
  }
  const record::DetailChange& change() const { return change_; }

  using EventVisitor::On;
  void On(const record::Kernel& e) override { Detail(e); }
  void On(const record::Memcpy& e) override { Detail(e); }
  void On(const record::Memset& e) override { Detail(e); }
  void On(const record::GraphLaunch& e) override { Detail(e); }
  void On(const record::ApiCall& e) override { Detail(e); }
  void On(const record::Synchronization& e) override { Detail(e); }
  void On(const record::Overhead& e) override { Detail(e); }
  void On(const record::NvtxRange& e) override { Detail(e); }
  void On(const record::NvtxMark& e) override { Detail(e); }
  void On(const record::OffCpu& e) override { Detail(e); }
  void On(const record::CpuSample& e) override { Detail(e); }
  void On(const record::HostSample& e) override { Detail(e); }
  void On(const record::Annotation& e) override { Detail(e); }
  void On(std::span<const record::Kernel> e) override { Many(e); }
  void On(std::span<const record::ApiCall> e) override { Many(e); }

  void On(const record::RequestSummary& e) override { conclusions_->On(e); }
  void On(const record::GapSummary& e) override { conclusions_->On(e); }
  void On(const record::IterationSummary& e) override { conclusions_->On(e); }
  void On(const record::HistogramSnapshot& e) override { conclusions_->On(e); }
  void On(const record::CounterSnapshot& e) override { conclusions_->On(e); }
  void On(const record::DeviceSample& e) override { conclusions_->On(e); }

  void On(const record::DeviceInfo& e) override { Both(e); }
  void On(const record::ContextInfo& e) override { Both(e); }
  void On(const record::StreamInfo& e) override { Both(e); }
  void On(const record::ThreadInfo& e) override { Both(e); }
  void On(const record::NvtxDomainInfo& e) override { Both(e); }
  void On(const record::NvtxCategoryInfo& e) override { Both(e); }
  void On(const record::RequestIdText& e) override { Both(e); }
  void On(const record::ClockSnapshot& e) override { Both(e); }
  void On(const record::LossTotals& e) override { Both(e); }
  void On(const record::SourceStatus& e) override { Both(e); }
  void On(const record::OwnCost& e) override { Both(e); }
  void On(const record::CaptureTotals& e) override { Both(e); }
  void On(const record::Condition& e) override { Both(e); }
  void On(const record::Trigger& e) override { Both(e); }

  // The detail first: a reader that has the chunk of conclusions has all that led to them.
  void On(const record::Advance& e) override {
    const bool only_conclusions = detail_ == conclusions_ && change_.level == record::DetailLevel::kMetrics;
    if (detail_ != conclusions_) detail_->On(e);
    const bool due = e.now - last_conclusions_ >= kConclusionsPeriod;
    if (!due && (only_conclusions || detail_ != conclusions_)) return;
    last_conclusions_ = e.now;
    conclusions_->On(e);
  }

 private:
  static constexpr base::TimeNs kConclusionsPeriod = 1'000'000'000;

  // Whether an event of detail is written: the one place that knows what a level leaves out.
  template <typename Event>
  bool Keeps(const Event&) const {
    return change_.level != record::DetailLevel::kMetrics;
  }
  template <typename Event>
  void Detail(const Event& event) {
    if (Keeps(event)) [[likely]] {
      detail_->On(event);
    } else if (change_.reason == record::DetailReason::kCapped) {
      losses_->Add(base::Loss::kTraceCapped);
    }
  }
  template <typename Event>
  void Many(std::span<const Event> events) {
    if (change_.level == record::DetailLevel::kFull) [[likely]] {
      return detail_->On(events);
    }
    for (const Event& event : events) Detail(event);
  }
  template <typename Event>
  void Both(const Event& event) {
    detail_->On(event);
    if (conclusions_ != detail_) conclusions_->On(event);
  }

  trace::ChunkEncoder* detail_ = nullptr;
  trace::ChunkEncoder* conclusions_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  record::DetailChange change_;
  base::TimeNs last_conclusions_ = 0;
};

}  // namespace slowtoken::capture
