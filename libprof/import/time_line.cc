#include "import/time_line.h"

#include "import/decimal.h"
#include "import/kineto_events.h"

namespace slowtoken::importing {
namespace {

// Times from here on (2001) are dates, not times since some start.
constexpr int64_t kFirstDate = 1'000'000'000'000'000'000;
// Where a time line begins that would reach 0, which means "unknown", or what is before.
constexpr int64_t kOrigin = 1'000'000'000;

}  // namespace

TimeLine TimeLineOf(const SourceMetadata& metadata, const EventStore::Extent& extent) {
  TimeLine line;
  const int64_t base = WholeNumber(Find(metadata.top, "baseTimeNanoseconds")).value_or(0);
  line.shift = (base > 0 && base <= kMostNs ? base : 0) - kTimeBias;
  const int64_t first = extent.first + line.shift;
  line.dates = first >= kFirstDate;
  if (first <= 0) line.shift += kOrigin - first;
  return line;
}

}  // namespace slowtoken::importing
