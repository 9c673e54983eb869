// TimeLine: from the times in a Kineto file to ours. Newer files count microseconds from `baseTimeNanoseconds`, older
// ones hold dates, edited ones whatever they like. Dates become nanoseconds since 1970, which then stand for
// CLOCK_MONOTONIC too: all files of a job have one time line. Pure.
#pragma once

#include "import/event_store.h"
#include "import/source_event.h"

namespace slowtoken::importing {

struct TimeLine {
  int64_t shift = 0;   // to be added to the times of KinetoEvents
  bool dates = false;  // the sums are nanoseconds since 1970
};

// `extent` is not empty. No event is at 0 or before, once shifted.
TimeLine TimeLineOf(const SourceMetadata& metadata, const EventStore::Extent& extent);

}  // namespace slowtoken::importing
