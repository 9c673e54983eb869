// Recorder: everything host threads touch. One is current in a process from the first NvtxSource::Init on; handlers
// find it through one atomic pointer. The names (domains, registered strings, schemas) live on when a forked child
// starts a recorder of its own, because the host keeps the handles it was given. Memory is never given back.
#pragma once

#include <atomic>

#include "base/loss.h"
#include "base/time.h"
#include "nvtx/name_table.h"
#include "nvtx/recycled_strings.h"
#include "nvtx/schema_table.h"
#include "nvtx/thread_slots.h"

namespace slowtoken::nvtx {

// What handles stand for. Domain and string numbers are NVTX handles; 0 is the default domain, and no string.
struct Names {
  TextStore texts;
  NameTable domains;
  NameTable strings;
  RecycledStrings recycled;
  SchemaTable schemas;
  std::atomic<uint16_t> llmserve{0};  // the domain of that name, once it exists
  std::atomic<bool> domain_overflow{false};
};

enum class Mode : uint8_t {
  kRecording,
  kPaused,  // handles are given out, nesting is followed; only names and the ends of ranges begun before are recorded
  kSilent,  // nothing is recorded: in a forked child without a worker, or after the last round
};

struct Recorder {
  ThreadSlots threads;
  Names* names = nullptr;
  base::LossCounters* losses = nullptr;
  uint32_t text_limit = 1024;           // bytes of message kept
  uint32_t llmserve_limit = 32u << 10;  // the same for the llmserve vocabulary
  std::atomic<Mode> mode{Mode::kRecording};
  std::atomic<bool> quick{false};      // recording, with stamps of the TSC: the way of quick_calls.h is open
  std::atomic<uint32_t> pauses{0};     // how many began
  std::atomic<bool> installed{false};  // handlers are in the tables of at least one module
  bool tsc = false;                    // ClockMap::TscUsable

  void SetMode(Mode now) {
    quick.store(now == Mode::kRecording && tsc, std::memory_order_relaxed);
    mode.store(now, std::memory_order_release);
  }
  void SetTsc(bool usable) {
    tsc = usable;
    SetMode(mode.load(std::memory_order_relaxed));
  }

  // What capture::RawStamp gives, without a call: the stamp is most of what an event costs.
  uint64_t Stamp() const { return __builtin_expect(tsc, 1) ? base::ReadTsc() : base::MonotonicNow(); }
};

// nullptr until the first NvtxSource::Init.
extern std::atomic<Recorder*> g_recorder;

}  // namespace slowtoken::nvtx
