// IterationNumbers: which iteration a range belongs to whose engine does not say (range_rules.h, Numbering). Numbers
// are counted here, one after another over all threads of the process; of an engine that says them they are kept, so
// that a range before or after finds its own. Counted numbers go with an engine number of the process, as two processes
// that count alike must not be taken for one. Single threaded (the worker); a few ns; one entry a thread.
#pragma once

#include "base/arena.h"
#include "rules/range_rules.h"

namespace slowtoken::rules {

class IterationNumbers {
 public:
  bool Init(base::Arena& arena, uint32_t threads, uint32_t engine) {
    engine_ = engine;
    threads_ = arena.AllocateArray<Thread>(threads);
    return !threads_.empty();
  }
  static size_t MemoryNeeded(uint32_t threads) { return threads * sizeof(Thread); }

  // Gives `range`, which is what `rule` makes of a text said on `thread`, its number. False if it belongs to no
  // iteration: the rule does not count then.
  bool Apply(uint32_t thread, const RangeRule& rule, record::Annotation& range);

  // A range of the kind push/pop that Apply has seen opens or has ended.
  void Opened(uint32_t thread, record::AnnotationName name) { Count(thread, name, 1); }
  void Ended(uint32_t thread, record::AnnotationName name) { Count(thread, name, -1); }

  // The engine speaks the vocabulary itself: its iterations are the ones, and parts belong to what is around them.
  void SawOwnIterations() { has_own_ = true; }

  // Another thread has taken the place.
  void Restart(uint32_t thread) { threads_[thread] = {}; }

 private:
  struct Thread {
    uint64_t current = 0;  // the iteration begun last; 0 = none
    uint64_t next = 0;     // the number promised to the next; 0 = none
    int32_t inside = 0;    // open ranges that are `iter`
    bool said = false;     // `current` was said by the engine
  };
  void Count(uint32_t thread, record::AnnotationName name, int change) {
    if (name == record::AnnotationName::kIter) threads_[thread].inside += change;
  }
  uint64_t Promised(Thread& thread);

  std::span<Thread> threads_;
  uint64_t last_ = 0;
  uint32_t engine_ = 0;
  bool has_own_ = false;
};

}  // namespace slowtoken::rules
