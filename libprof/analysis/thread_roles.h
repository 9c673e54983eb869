// ThreadRoles: what a thread of an engine is for, told by the ranges of `llmserve` that it opens. Names of threads are
// pseudonyms by default; the role can be said in the clear. Fed while events stream by; single threaded, offline. Costs
// one look-up a range; memory: a word a thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "record/annotation.h"
#include "record/ids.h"

namespace slowtoken::analysis {

class ThreadRoles {
 public:
  void Add(const record::Annotation& annotation);

  // "scheduling thread", "launching thread" …; empty where its ranges do not tell. `thread_key`:
  // attribution::ThreadKey.
  std::string_view Of(uint64_t thread_key) const;
  // The same where only the thread id is known; empty if processes use it for several things.
  std::string_view OfThread(record::ThreadId thread) const;
  // Whose thread it is; nothing where its ranges do not tell, or processes of several hosts have one of that id.
  std::optional<record::ProcessIndex> ProcessOf(record::ThreadId thread) const;

 private:
  enum Does : uint32_t {
    kSchedules = 1,
    kIterates = 2,
    kSamples = 4,
    kTokenizes = 8,
    kDetokenizes = 16,
    kSends = 32,
  };
  static uint32_t DoesBy(record::AnnotationName name);
  std::string_view RoleOf(uint32_t does) const;

  absl::flat_hash_map<uint64_t, uint32_t> does_;
  bool somebody_schedules_ = false;
};

}  // namespace slowtoken::analysis
