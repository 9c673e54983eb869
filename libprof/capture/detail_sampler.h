// DetailSampler: which events of detail are written, where not all of them are. A call is kept by the level that held
// when it began and, where that is a sampled one, by the iteration around it; GPU work goes with its call; a range,
// with the iteration around its start. What belongs to no iteration is kept by time: of every N tenths of a second one.
// So iterations are whole, and both ends of every pair are there, whatever the order of arrival and however the level
// changes. What cannot be told yet waits. Part of DetailFilter; worker thread; where everything is kept a store a call,
// else about 40 ns a call and 5 ns a GPU record. Takes 2.7 MB of the arena at Init.
#pragma once

#include <array>

#include "attribution/engine.h"
#include "capture/launch_memory.h"
#include "capture/sampled_iterations.h"
#include "capture/waiting_events.h"

namespace slowtoken::capture {

class DetailSampler {
 public:
  enum class Verdict : uint8_t { kKeep, kLeaveOut, kWait };

  // Both are borrowed: whose ranges tell the iteration of a call, and who is in its batch.
  bool Init(base::Arena& arena, attribution::Engine& engine, attribution::LiveBatches& batches,
            base::LossCounters& losses);

  // From the change's time on its level holds. In order of time.
  void Apply(const record::DetailChange& change);

  // Every annotation that happened before has been delivered.
  void HeardUpTo(base::TimeNs heard) { heard_ = heard; }

  // Nothing is left out, and has not been for so long that nothing late can belong to what was: only Note is needed.
  bool keeps_all() const { return keeps_all_; }
  void Note(std::span<const record::ApiCall> calls) {
    for (const record::ApiCall& call : calls) launches_.Set(call.correlation, true);
  }

  Verdict Of(const record::ApiCall& call) {
    if (keeps_all_) {
      launches_.Set(call.correlation, true);
      return Verdict::kKeep;
    }
    return OfCall(call);
  }
  // GPU work, and synchronisation: they carry the id of their call.
  template <typename Work>
  Verdict Of(const Work& work) const {
    return keeps_all_ ? Verdict::kKeep : OfLaunch(work.correlation);
  }
  // Something on a thread, of which the annotations before are known.
  bool Keeps(record::ThreadId thread, base::TimeNs at) { return keeps_all_ || Decide(thread, at); }

  // Keeps the event until Settle. Where there is no room, it and all that goes with it is left out, and counted.
  template <typename Event>
  void Wait(const Event& event) {
    if (waiting_.Add(event, now_)) return;
    launches_.Set(event.correlation, false);
    losses_->Add(base::Loss::kSampleCut);
  }

  // Ends a round: hands out, by keep(event), what can be told now. `last`: nothing will follow.
  template <typename Keep>
  void Settle(base::TimeNs now, bool last, Keep keep) {
    now_ = now;
    if (last) heard_ = UINT64_MAX;
    if (!waiting_.empty()) {
      waiting_.Sweep([&](const auto& event, base::TimeNs since) { return SettleCall(event, since, keep); });
      waiting_.Sweep([&](const auto& event, base::TimeNs since) {
        const Verdict verdict = Of(event);
        if (verdict == Verdict::kKeep) keep(event);
        return verdict != Verdict::kWait || last || since + kLongestWait < now;
      });
    }
    keeps_all_ = KeepsAll();
  }

 private:
  static constexpr uint32_t kMostWaiting = 24'576;
  static constexpr base::TimeNs kLongestWait = 3'000'000'000;
  static constexpr base::TimeNs kLongestLaunch = 10'000'000'000;  // from a call to the arrival of its last record
  static constexpr base::TimeNs kSlice = 100'000'000;

  Verdict OfCall(const record::ApiCall& call);
  Verdict OfLaunch(record::CorrelationId id) const;
  const record::DetailChange& LevelAt(base::TimeNs time) const;
  bool Decide(record::ThreadId thread, base::TimeNs at);
  bool KeepsAll() const;

  template <typename Keep>
  bool SettleCall(const record::ApiCall& call, base::TimeNs, Keep& keep) {
    const Verdict verdict = OfCall(call);
    if (verdict == Verdict::kKeep) keep(call);
    return verdict != Verdict::kWait;
  }
  template <typename Work, typename Keep>
  bool SettleCall(const Work&, base::TimeNs, Keep&) {
    return false;
  }

  attribution::Engine* engine_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  LaunchMemory launches_;
  SampledIterations iterations_;
  WaitingEvents waiting_;
  std::array<record::DetailChange, 8> changes_{};  // the newest, oldest first
  uint32_t change_count_ = 0;
  base::TimeNs heard_ = 0, now_ = 0;
  bool keeps_all_ = false;
};

}  // namespace slowtoken::capture
