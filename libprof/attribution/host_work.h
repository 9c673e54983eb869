// HostWork: what host threads did in the last seconds that stalls others: kv.*, jit, gc and loading ranges, tokenise
// ranges, long CUDA calls that allocate, build graphs or load modules, CUPTI's own overhead. Filled from events in any
// order, asked for each gap; used by attribution only; single threaded; bounded: the oldest are forgotten first, and
// counted while young.
#pragma once

#include <span>

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
};

class HostWork {
 public:
  bool Init(base::Arena& arena, uint32_t capacity, base::LossCounters& losses);

  // Each takes what counts as such work and leaves the rest.
  void Add(const record::Annotation& annotation);
  void Add(const record::ApiCall& call);
  void Add(const record::Overhead& overhead);

  // visit(const HostWorkItem&) for everything that ends after `from`, newest end first.
  template <typename Visit>
  void ForEachAfter(TimeNs from, Visit visit) const {
    for (size_t i = count_; i > 0 && items_[i - 1].end > from; --i) visit(items_[i - 1]);
  }

  // Forgets what ended before `before`.
  void Prune(TimeNs before);

 private:
  // Calls shorter than this are never the reason for a stall, and there are many.
  static constexpr uint64_t kLongCallNs = 100'000;

  // Between two calls that build a graph the thread prepares the next piece of it.
  static constexpr uint64_t kBuildPauseNs = 2'000'000;

  void Add(const HostWorkItem& item);
  void AddBuild(const record::ApiCall& call);
  void DropFirst(size_t dropped);

  std::span<HostWorkItem> items_;  // by end
  size_t count_ = 0;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::attribution
