// RequestPresence: when no request was in the system, from the `req` ranges of all processes, in any order.
// About 40 bytes a request. Single threaded.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <utility>
#include <vector>

#include "analysis/interval_union.h"
#include "record/annotation.h"

namespace slowtoken::analysis {

class RequestPresence {
 public:
  // A `req` range. One that is still open (end == 0) may come again when it has ended.
  void Add(const record::Annotation& range);

  // The intervals without any request, in order, from the beginning of time to its end; nullopt when no request was
  // seen.
  std::optional<std::vector<IntervalUnion::Gap>> Absences() const;

 private:
  absl::flat_hash_map<std::pair<record::RequestId, TimeNs>, TimeNs> ends_;  // by request and start; 0 = open
};

}  // namespace slowtoken::analysis
