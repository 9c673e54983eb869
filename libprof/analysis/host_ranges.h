// HostRanges: which range was innermost on a thread at an instant, over NVTX push/pop ranges and those of llmserve.
// Ranges are told when they end, so a question waits until a range that covers its instant has ended; where none does,
// until the end. Fed while events stream by; answers go to the sink, at Advance. Single threaded; about 100 ns a range
// and 50 ns a question. Memory: the ranges of the last 30 s of each thread, and at most 2^18 waiting questions of it
// (the oldest beyond are answered "none").
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <functional>
#include <utility>
#include <vector>

#include "analysis/interval.h"
#include "attribution/iteration.h"
#include "record/annotation.h"
#include "record/nvtx_events.h"

namespace slowtoken::analysis {

// The text of an NVTX range, or the name of an llmserve range.
using RangeName = uint32_t;
inline constexpr RangeName kNoRange = 0;
inline constexpr RangeName kLlmserveRange = 1u << 31;
constexpr RangeName NameOf(record::AnnotationName name) { return kLlmserveRange | static_cast<RangeName>(name); }

class HostRanges {
 public:
  using ThreadKey = uint64_t;  // attribution::ThreadKey

  struct Question {
    ThreadKey thread = 0;
    TimeNs at = 0;
    uint64_t value = 0;    // the asker's
    uint32_t purpose = 0;  // the asker's
  };
  using Sink = std::function<void(const Question&, RangeName)>;

  explicit HostRanges(Sink sink) : sink_(std::move(sink)) {}

  // Ranges that are no push/pop range, or move to another thread, say nothing about a thread: they are left out.
  void Add(const record::NvtxRange& range);
  void Add(const record::Annotation& annotation);

  void Ask(const Question& question);

  // The ranges around `at` that began at `from` or later and have ended by now, the outermost first.
  std::vector<RangeName> Around(ThreadKey thread, TimeNs at, TimeNs from);

  // What was told so far is whole up to a watermark: answers what can be answered.
  void Advance();

  // After the last event: the rest is answered.
  void Finish();

 private:
  struct Range {
    TimeNs start = 0, end = 0;
    TimeNs reach = 0;  // the latest end up to here
    RangeName name = kNoRange;
  };
  struct Thread {
    std::vector<Range> ranges;  // by start, then the longer first
    std::vector<Range> fresh;
    std::vector<Question> waiting;  // by instant
    std::vector<Question> asked;
    absl::flat_hash_set<std::pair<TimeNs, RangeName>> open;  // told while open
    size_t prune_at = 4096;
    bool touched = false;
  };
  static constexpr uint64_t kRemember = 30'000'000'000;
  static constexpr size_t kMostWaiting = 1u << 18;

  void Add(ThreadKey thread, TimeNs start, TimeNs end, RangeName name);
  Thread& Touch(ThreadKey key);
  static TimeNs TakeIn(Thread& thread);
  static RangeName Find(const Thread& thread, TimeNs at);
  void Answer(Thread& thread, TimeNs from);
  static void Prune(Thread& thread);

  Sink sink_;
  absl::flat_hash_map<ThreadKey, Thread> threads_;
  std::vector<ThreadKey> touched_;
};

}  // namespace slowtoken::analysis
