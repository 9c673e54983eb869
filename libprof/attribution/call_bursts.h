// CallBursts: joins the CUDA calls of a thread that follow each other closely into one piece of host work. Ten thousand
// allocations of a microsecond hold a step up as one of ten milliseconds does; each alone would be beneath notice.
// Filled by HostWork, in nearly any order: what comes out of order is a burst of its own. Single threaded; fixed size.
#pragma once

#include <array>

#include "attribution/iteration.h"
#include "record/causes.h"

namespace slowtoken::attribution {

struct CallBurst {
  uint64_t thread = 0;  // ThreadKey
  record::EvidenceKind kind = record::EvidenceKind::kNone;
  TimeNs start = 0, end = 0;
  uint64_t busy_ns = 0;                 // inside its calls
  uint32_t calls = 0;                   // a driver's call inside a runtime's is the same one
  TimeNs last_start = 0, last_end = 0;  // of the call added last

  uint64_t length() const { return end - start; }
};

class CallBursts {
 public:
  // Adds the call; the burst it now belongs to, valid until the next call of Add.
  const CallBurst& Add(uint64_t thread, record::EvidenceKind kind, TimeNs start, TimeNs end);

 private:
  // Of threads and kinds; the one that was longest without a call gives way.
  static constexpr size_t kOpen = 16;

  CallBurst& Find(uint64_t thread, record::EvidenceKind kind);

  std::array<CallBurst, kOpen> open_{};
  std::array<uint64_t, kOpen> used_{};  // by burst: at which Add
  uint64_t adds_ = 0;
};

}  // namespace slowtoken::attribution
