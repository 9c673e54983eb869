// How a source says that it lost records for a time: as a blind interval that is over already, so that nothing is
// concluded from what is missing in it (docs/ATTRIBUTION.md §5). Called by sources in Collect, on the worker thread;
// two events.
#pragma once

#include "capture/event_source.h"
#include "record/session_events.h"

namespace slowtoken::capture {

// `present`: the status of the source as it is, not blind. [from, to]: what lies outside was recorded.
inline void TellLostRecords(record::SourceStatus present, record::TimeNs from, record::TimeNs to,
                            CollectContext& context) {
  record::SourceStatus lost = present;
  lost.reason = record::BlindReason::kRecordsLost;
  lost.detail =
      context.dictionary.InternText(record::kBlindReasonTexts[static_cast<size_t>(record::BlindReason::kRecordsLost)]);
  lost.time = from;
  context.out.On(lost);
  present.time = to;
  context.out.On(present);
}

}  // namespace slowtoken::capture
