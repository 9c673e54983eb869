// EndedBy: the GPU work that ended an idle interval, as far as it says why the GPU was idle. Plain data.
#pragma once

#include "analysis/interval.h"
#include "record/ids.h"

namespace slowtoken::analysis {

struct EndedBy {
  TimeNs call_start = 0, call_end = 0;  // of the call that launched it; 0 = it was not recorded
  record::ThreadId thread = 0;          // that launched it
  record::ProcessIndex process = 0;
  bool small = false;  // a short kernel, launched outside a graph

  bool launch_known() const { return call_end != 0; }
  bool operator==(const EndedBy&) const = default;
};

}  // namespace slowtoken::analysis
