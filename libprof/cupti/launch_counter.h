// LaunchCounter: counts launches once, though a runtime call and the driver call inside it both leave a record, with
// one correlation id (cupti_activity.h:2360). Worker only, a few instructions. The two records may lie in two buffers
// of their thread, with other threads' buffers read in between: the table (64 KiB) remembers about that many ids. Ids
// wrap, and the table forgets them long before.
#pragma once

#include <array>

#include "record/ids.h"

namespace slowtoken::cupti {

class LaunchCounter {
 public:
  // True the first time an id is seen. Id 0 means none: such calls all count (bug log row 100).
  bool IsNew(record::CorrelationId id) {
    if (id == 0) return true;
    record::CorrelationId& slot = recent_[id % recent_.size()];
    if (slot == id) return false;
    slot = id;
    return true;
  }

 private:
  std::array<record::CorrelationId, 16384> recent_{};
};

}  // namespace slowtoken::cupti
