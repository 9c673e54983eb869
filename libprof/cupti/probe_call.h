// ProbeCall: asks whether CUPTI still records for us. CUPTI has one set of buffer call-backs a process and nobody is
// told when a later client replaces them or switches the record kinds off. So the worker makes one recorded CUDA call
// of its own (cuDriverGetVersion, which touches nothing) in rounds in which nobody else has asked us for a buffer:
// while CUPTI records for us, the call makes it ask this thread for a buffer, and the next flush brings that buffer
// back (cupti_activity.h:7724). An answer counts only where two such round trips have been seen in this process: a
// CUPTI that works otherwise is never accused; before that, silence counts only while somebody else holds the
// subscription. Worker only. About 2 µs in an idle round, a few ns in a busy one. The record of the call is ignored by
// the decoder.
#pragma once

#include "cupti/host_side.h"

namespace slowtoken::cupti {

class ProbeCall {
 public:
  // The call-back id of the call in CUPTI's driver domain.
  static constexpr uint32_t kCallbackId = 2;

  enum class Verdict : uint8_t { kUnknown, kOurs, kNotOurs };

  // The driver's cuDriverGetVersion of this process, null if no driver is mapped. Starting thread.
  using Call = int (*)(int*);
  static Call Find();

  void Init(Call call) { call_ = call; }

  // Directly after a flush that succeeded.
  Verdict Ask(HostSide& host);

  // True while the buffer of the last call is overdue: it bounds what has been delivered, so there is time to be sure.
  bool Waiting() const { return stuck_ != 0; }

  // Overdue, or before any round trip unanswered, for so long that one may ask whether there is another client; without
  // one the first is proof only much later, the second never.
  bool Suspicious() const { return IsTurn(stuck_) || IsTurn(unanswered_); }

  // It has accused a CUPTI that nobody else had: it is not asked any more.
  void GiveUp() { call_ = nullptr; }

 private:
  static constexpr int kRoundTrips = 2;
  static constexpr int kMostFailures = 8;
  static constexpr int kSuspicious = 3;  // flushes that left the buffer out
  static constexpr int kMostStuck = 25;

  static bool IsTurn(int rounds) { return rounds != 0 && rounds % kSuspicious == 0; }
  bool Trained() const { return round_trips_ >= kRoundTrips; }
  bool Moved(const HostSide& host);
  void LookAtBuffer(const HostSide& host);

  Call call_ = nullptr;
  uint32_t requests_ = 0;            // of all threads, when last looked
  const uint8_t* buffer_ = nullptr;  // this thread's that was out when last looked
  int round_trips_ = 0;
  int failures_ = 0;    // before it is trained
  int unanswered_ = 0;  // of them, in a row, those in which no host thread asked for a buffer either
  int stuck_ = 0;       // flushes since that have left the buffer out
};

}  // namespace slowtoken::cupti
