// RequestLife: what an engine said of one request, in order of time, and where the request was meanwhile. For a request
// that never came to a first token, of which attribution has no phases. Fed with the annotations of a trace; `why`
// tells it. Single threaded, offline. Memory: the request's own annotations.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "record/annotation.h"

namespace slowtoken::report {

class RequestLife {
 public:
  explicit RequestLife(record::RequestId req) : req_(req) {}

  void Add(const record::Annotation& annotation);

  struct Step {
    record::Annotation said;   // `rows` is not valid
    record::TimeNs until = 0;  // of a range its end, of a state until when it held; 0: an instant
    uint32_t times = 1;        // so often the same was said in a row
    bool open = false;         // it was not over when the trace ended
  };
  // By time. `end`: when the request ended, or the trace.
  std::vector<Step> Steps(record::TimeNs end) const;

  // The phases of docs/ATTRIBUTION.md §3 that annotations alone tell; what follows req.scheduled is one.
  enum class Place { kHandoff, kTokenize, kKvWait, kQueue, kPreempted, kScheduled };
  static constexpr const char* kPlaceNames[] = {"handoff", "tokenize",  "kv_wait",
                                                "queue",   "preempted", "in the engine"};
  struct Stay {
    Place place = Place::kHandoff;
    record::TimeNs start = 0, end = 0;
  };
  // Where it was from `start` to `end`, one after the other without gaps. `computed_from`: when its first iteration
  // began; 0: it was in none.
  std::vector<Stay> Stays(record::TimeNs start, record::TimeNs end, record::TimeNs computed_from) const;

 private:
  record::TimeNs FirstOf(record::AnnotationName name) const;  // its start; 0: there is none

  record::RequestId req_;
  using Key = std::tuple<record::TimeNs, record::AnnotationName, record::ProcessIndex, record::ThreadId, uint64_t>;
  std::map<Key, record::Annotation> said_;  // by time; start/end ranges come twice (reader/trace_set.h)
};

}  // namespace slowtoken::report
