// WaitWatch: tells, while they still wait, which requests have waited for their first or next token longer than the
// service levels allow, and which finished gaps did or were stalls. From raw annotations: a wait is told at the first
// Run after it passed its limit, not when it ends and not when its summary is final. Part of Engine; worker thread, or
// offline. An annotation costs about 30 ns, a Run about 10 ns a live request. Bounded; requests beyond are counted.
#pragma once

#include "attribution/config.h"
#include "base/flat_map.h"
#include "base/loss.h"
#include "record/annotation.h"
#include "record/detail_events.h"
#include "record/summaries.h"

namespace slowtoken::attribution {

using record::TimeNs;

// A wait that was too long.
struct LateWait {
  record::TriggerKind kind = record::TriggerKind::kUnknown;  // kSloTtft, kSloItl or kStall
  record::RequestId req = 0;
  uint32_t n = 0;         // the token waited for
  uint64_t value_ns = 0;  // how long, as far as is known
  uint64_t limit_ns = 0;  // what it passed
};

class WaitWatch {
 public:
  bool Init(base::Arena& arena, const EngineConfig& config, base::LossCounters& losses);

  // Takes in req, req.send, req.token and req.finish, in any order between two Runs; `req` also while it is open.
  void Add(const record::Annotation& annotation);

  // A gap that attribution found to be a stall by the running median; told only where no service level for gaps is
  // given.
  void AddStall(const record::GapSummary& gap, uint64_t threshold_ns);

  // Annotations were not recorded until `now` (a pause): waits that began before cannot be judged.
  void BlindUntil(TimeNs now) { blind_until_ = now; }

  // Every annotation that happened before `heard` has been added. What is late then is in late() until the next Run.
  void Run(TimeNs heard);
  std::span<const LateWait> late() const { return late_.first(late_count_); }

  bool wants_open_requests() const { return slo_ttft_ns_ != 0; }

 private:
  static constexpr uint32_t kMostEmissions = 8192;
  static constexpr uint32_t kMostLate = 16;  // a storm of them says no more
  static constexpr TimeNs kForgetFinishedNs = 5'000'000'000;
  struct Wait {
    TimeNs arrival = 0;  // 0: not seen here
    TimeNs last = 0;     // the last emission; 0: none yet
    TimeNs heard = 0;    // when something was last heard of it
    uint32_t n = 0;      // of the last emission
    bool told = false;   // of the current wait
    bool finished = false;
  };
  struct Emission {
    record::RequestId req = 0;
    TimeNs instant = 0;
    uint32_t n = 0;
  };
  Wait* Find(record::RequestId req, TimeNs at);
  void AddEmission(const record::Annotation& annotation);
  void EndWait(const Emission& emission);
  bool Tell(record::RequestId req, const Wait& wait, TimeNs until);
  void Tell(const LateWait& late);

  bool on_ = false;
  uint64_t slo_ttft_ns_ = 0, slo_itl_ns_ = 0, idle_ns_ = 0;
  base::LossCounters* losses_ = nullptr;
  base::FlatMap<record::RequestId, Wait> waits_;
  std::span<Emission> emissions_;  // since the last Run
  uint32_t emission_count_ = 0;
  std::span<LateWait> late_;
  uint32_t late_count_ = 0, stall_count_ = 0;
  TimeNs blind_until_ = 0;
  bool saw_send_ = false, saw_finish_ = false;
};

}  // namespace slowtoken::attribution
