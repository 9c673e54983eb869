// HostWork: what host threads did in the last seconds that stalls others: kv.*, jit, gc and loading ranges, tokenise
// ranges, CUDA calls that allocate, build graphs or load modules, CUPTI's own overhead; of the last two, what is long,
// alone or as a burst. Filled from events in any order, asked for each gap; used by attribution only; single threaded;
// bounded: the oldest are forgotten first, and counted while young.
#pragma once

#include <span>

#include "attribution/call_bursts.h"
#include "attribution/iteration.h"
#include "base/loss.h"
#include "record/annotation.h"
#include "record/causes.h"
#include "record/host_events.h"

namespace slowtoken::attribution {

struct HostWorkItem {
  uint64_t thread = 0;  // ThreadKey
  TimeNs start = 0, end = 0;
  record::RequestId req = 0;  // kBusyTokenizer
  record::EvidenceKind kind = record::EvidenceKind::kNone;
  uint32_t calls = 0;  // of CUDA, in a row
};

class HostWork {
 public:
  bool Init(base::Arena& arena, uint32_t capacity, base::LossCounters& losses);

  // Each takes what counts as such work and leaves the rest.
  void Add(const record::Annotation& annotation);
  void Add(const record::ApiCall& call);
  void Add(const record::Overhead& overhead);

  // visit(const HostWorkItem&) for everything that meets (from, to), newest end first.
  template <typename Visit>
  void ForEachIn(TimeNs from, TimeNs to, Visit visit) const {
    for (size_t i = FirstEndAfter(to > kForever - longest_ns_ ? kForever : to + longest_ns_); i > 0; --i) {
      if (items_[i - 1].end <= from) return;
      if (items_[i - 1].start < to) visit(items_[i - 1]);
    }
  }

  // Forgets what ended before `before`.
  void Prune(TimeNs before);

 private:
  // What takes less, all calls in a row together, is never the reason for a stall, and there is much of it.
  static constexpr uint64_t kLongNs = 100'000;

  void Add(const HostWorkItem& item);
  void AddCall(uint64_t thread, record::EvidenceKind kind, TimeNs start, TimeNs end);
  void Put(const CallBurst& burst);
  void Remove(size_t at);
  void DropFirst(size_t dropped);
  // The place of the first item that ends after `time`.
  size_t FirstEndAfter(TimeNs time) const;

  CallBursts bursts_;
  std::span<HostWorkItem> items_;  // by end
  size_t count_ = 0;
  uint64_t longest_ns_ = 0;  // no item lasts longer
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::attribution
