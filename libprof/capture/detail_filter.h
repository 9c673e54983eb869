// DetailFilter: everything that is to be written passes here, after attribution has seen it: detail (GPU work, calls,
// ranges, marks) to one encoder as far as the level allows, conclusions (summaries, histograms, counters) to another,
// and what both need to be read alone (resources, statuses, clocks, cost, triggers) to both. With one file a process
// both are the same encoder. What of the detail a level leaves out is said by the DetailSampler; without one (nothing
// ever changes but at the size cap) a level below kFull leaves all of it out. Worker thread; a branch and the encoder's
// call an event.
#pragma once

#include "capture/detail_sampler.h"
#include "trace/chunk_encoder.h"

namespace slowtoken::capture {

class DetailFilter final : public record::EventVisitor {
 public:
  // Full detail from the start. The encoders may be the same. `sampler` may be absent.
  void Init(trace::ChunkEncoder& detail, trace::ChunkEncoder& conclusions, DetailSampler* sampler,
            base::LossCounters& losses) {
    detail_ = &detail;
    conclusions_ = &conclusions;
    sampler_ = sampler;
    losses_ = &losses;
  }

  // Writes the change; from the next event on its level holds, for what was launched before it that of before. Where
  // nothing but conclusions is written, chunks come once in kConclusionsPeriod and not in every round.
  void Apply(const record::DetailChange& change) {
    change_ = change;
    if (change.reason == record::DetailReason::kCapped) sampler_ = nullptr;
    if (sampler_ != nullptr) sampler_->Apply(change);
    Both(change);
  }
  const record::DetailChange& change() const { return change_; }

  // In a round: every annotation that happened before has been delivered. And when all sources have been asked.
  void HeardUpTo(base::TimeNs heard) {
    if (sampler_ != nullptr) sampler_->HeardUpTo(heard);
  }
  void Settle(base::TimeNs now, bool last) {
    if (sampler_ != nullptr) sampler_->Settle(now, last, [this](const auto& event) { detail_->On(event); });
  }

  using EventVisitor::On;
  void On(const record::Kernel& e) override { Paired(e); }
  void On(const record::Memcpy& e) override { Paired(e); }
  void On(const record::Memset& e) override { Paired(e); }
  void On(const record::GraphLaunch& e) override { Paired(e); }
  void On(const record::ApiCall& e) override { Paired(e); }
  void On(const record::Synchronization& e) override { Paired(e); }
  void On(const record::Overhead& e) override { Placed(e, e.start); }
  void On(const record::NvtxRange& e) override { Placed(e, e.start); }
  void On(const record::NvtxMark& e) override { Placed(e, e.time); }
  void On(const record::OffCpu& e) override { Placed(e, e.start); }
  void On(const record::CpuSample& e) override { Said(e); }
  void On(const record::HostSample& e) override { Said(e); }
  void On(const record::Annotation& e) override { Said(e); }
  void On(std::span<const record::Kernel> e) override { Many(e); }
  void On(std::span<const record::ApiCall> e) override {
    if (sampler_ != nullptr && sampler_->keeps_all()) sampler_->Note(e);
    Many(e);
  }

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
    const bool due = e.now - last_conclusions_ >= kConclusionsPeriod;
    const bool only_conclusions = change_.level == record::DetailLevel::kMetrics;
    if (only_conclusions && !due) return;
    if (detail_ != conclusions_) detail_->On(e);
    if (!due && detail_ != conclusions_) return;
    last_conclusions_ = e.now;
    conclusions_->On(e);
  }

 private:
  static constexpr base::TimeNs kConclusionsPeriod = 1'000'000'000;

  bool KeepsAll() const {
    return sampler_ != nullptr ? sampler_->keeps_all() : change_.level == record::DetailLevel::kFull;
  }
  template <typename Event>
  void Write(const Event& event, bool kept) {
    if (kept) [[likely]] {
      detail_->On(event);
    } else if (change_.reason == record::DetailReason::kCapped) {
      losses_->Add(base::Loss::kTraceCapped);
    }
  }
  // A call, or what goes with one.
  template <typename Event>
  void Paired(const Event& event) {
    if (sampler_ == nullptr) return Write(event, KeepsAll());
    const DetailSampler::Verdict verdict = sampler_->Of(event);
    if (verdict == DetailSampler::Verdict::kWait) return sampler_->Wait(event);
    Write(event, verdict == DetailSampler::Verdict::kKeep);
  }
  // What requests, iterations and the host say of themselves.
  template <typename Event>
  void Said(const Event& event) {
    Write(event, change_.level != record::DetailLevel::kMetrics);
  }
  // What has a place on a thread.
  template <typename Event>
  void Placed(const Event& event, base::TimeNs at) {
    Write(event, sampler_ == nullptr ? KeepsAll() : sampler_->Keeps(event.thread, at));
  }
  template <typename Event>
  void Many(std::span<const Event> events) {
    if (KeepsAll()) [[likely]] {
      return detail_->On(events);
    }
    for (const Event& event : events) Paired(event);
  }
  template <typename Event>
  void Both(const Event& event) {
    detail_->On(event);
    if (conclusions_ != detail_) conclusions_->On(event);
  }

  trace::ChunkEncoder* detail_ = nullptr;
  trace::ChunkEncoder* conclusions_ = nullptr;
  DetailSampler* sampler_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  record::DetailChange change_;
  base::TimeNs last_conclusions_ = 0;
};

}  // namespace slowtoken::capture
