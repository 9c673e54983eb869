// ImportedProcess: what an importer found out about one process, ready to be written as a trace: the events and what
// stands around them. The seam between the formats that are read (kineto_import.h) and trace_output.h, which writes.
// Plain data; texts of events are ids of `names`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "import/event_store.h"
#include "record/dictionary.h"

namespace slowtoken::importing {

// The texts, shapes and lanes of a process. What does not fit is empty and counted as a loss in the trace.
class ImportNames {
 public:
  // False when the system gives no memory.
  bool Init();
  ~ImportNames() { arena_.Release(); }

  static constexpr record::Dictionary::Limits kLimits{
      .texts = 1u << 18, .text_bytes = 256u << 20, .shapes = 1u << 17, .lanes = 1u << 12};

  record::Dictionary& dictionary() { return dictionary_; }
  base::LossCounters& losses() { return losses_; }
  base::Arena& arena() { return arena_; }

 private:
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
};

struct ImportedProcess {
  using Facts = std::vector<std::pair<std::string, std::string>>;

  std::string role;
  uint64_t pid = 0;
  record::TimeNs start = 0;      // of the recording
  record::TimeNs end = 0;        // of the recording, or 0
  record::TimeNs start_utc = 0;  // 0: not known
  Facts labels;
  Facts conditions;
  std::vector<record::DeviceInfo> devices;
  std::vector<record::ThreadInfo> threads;
  std::vector<record::NvtxDomainInfo> domains;
  record::SourceStatus source;
  EventStore* events = nullptr;
  bool cut = false;  // the source ends early: so does the trace
};

}  // namespace slowtoken::importing
