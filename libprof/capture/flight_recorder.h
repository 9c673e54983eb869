// FlightRecorder: decides what is dumped. A trigger (a wait that is too long, a stall, the user, the program) becomes a
// line in the run's TriggerLog; each process of the run, the one that wrote it too, starts its dump when it reads the
// line. A trigger inside the window of a dump joins it. Those that nobody asked for come at most once in `every`; the
// rest is counted. Part of Pipeline, flight mode; worker thread, Fire any thread. Idle: one stat a round.
#pragma once

#include <array>
#include <atomic>
#include <string_view>

#include "attribution/wait_watch.h"
#include "capture/detail_filter.h"
#include "capture/dump_shelf.h"
#include "capture/dump_writer.h"
#include "capture/trigger_log.h"

namespace slowtoken::capture {

class FlightRecorder {
 public:
  struct Parts {
    const RingOutput& ring;
    DetailFilter& out;
    record::Dictionary& dictionary;
    base::LossCounters& losses;
    const char* boot_id;
    int64_t timens_offset_ns;
  };
  bool Init(base::Arena& arena, const Config& config, const Parts& parts);

  // Asks for a dump. Any thread; a few atomic operations, takes effect in the next round. False: too many wait already.
  bool Fire(record::TriggerKind kind, std::string_view text);

  // In a round before its Advance: takes in what is late and what was asked for, reads what others wrote, and writes
  // the Trigger events of dumps that begin.
  void Look(std::span<const attribution::LateWait> late, base::TimeNs now);

  // After the Advance: goes on copying. The last time, all that is left.
  void Copy(base::TimeNs now);
  void CopyLast(base::TimeNs now);

 private:
  static constexpr uint64_t kPieceBytes = 8u << 20;  // a round
  static constexpr int kMostJoined = 16;             // Trigger events a dump takes in beside its own
  struct Asked {
    std::atomic<int> state{0};  // 0 free, 1 being filled, 2 ready
    record::TriggerKind kind = record::TriggerKind::kUnknown;
    char text[TriggerLog::kMostText] = {};
  };
  enum class Outcome : uint32_t { kDumped, kJoined, kTooSoon, kFailed };

  void Raise(TriggerLog::Entry& entry, base::TimeNs now);
  void ReadLog(base::TimeNs now);
  void Take(const TriggerLog::Entry& entry);
  bool Joins(const record::Trigger& trigger) const;
  void Join(TriggerLog::Entry entry);
  void Begin(const TriggerLog::Entry& entry);
  void Write(const TriggerLog::Entry& entry);
  void Count(record::TriggerKind kind, Outcome outcome);

  const Config* config_ = nullptr;
  const RingOutput* ring_ = nullptr;
  DetailFilter* out_ = nullptr;
  record::Dictionary* dictionary_ = nullptr;
  TriggerLog log_;
  DumpWriter dump_;
  DumpShelf shelf_;
  std::array<Asked, 4> asked_;
  record::Trigger latest_;  // of the newest dump; window_end 0: none yet
  int joined_ = 0;
  base::TimeNs last_unasked_ = 0;  // when the newest dump began that nobody had asked for
  std::array<std::array<uint64_t, 4>, std::size(record::kTriggerKindNames)> counts_{};  // by kind and outcome
};

}  // namespace slowtoken::capture
