// API calls, many at a time, in the order of the buffer: what is captured hangs on it. A call costs about 90
// instructions.
#include "cupti/decode.h"
#include "cupti/probe_call.h"

namespace slowtoken::cupti {
namespace {

// By CUPTI's own thread id, which is right whatever its type.
void FollowCapture(const ApiRecord& r, ApiClasses::Capture capture, record::ApiDomain domain, DecodeState& state,
                   capture::CollectContext& context) {
  switch (capture) {
    case ApiClasses::Capture::kBegin:
      if (r.returnValue == 0) state.captures.Begin(domain, r.threadId, r.end, context.losses);
      return;
    case ApiClasses::Capture::kEnd:  // also when it fails: the capture is over then too
      return state.captures.End(domain, r.threadId, r.start);
    case ApiClasses::Capture::kNone:
      return;
  }
}

void CountLaunch(const ApiRecord& r, bool captured, DecodeState& state) {
  if (r.returnValue != 0 || !state.launches.IsNew(r.correlationId)) return;
  ++(captured ? state.totals.launches_captured : state.totals.launches);
}

}  // namespace

void Decode(std::span<const ApiRecord* const> records, DecodeState& state, capture::CollectContext& context) {
  record::ApiCall* next = state.calls.data();
  for (const ApiRecord* r : records) {
    const auto domain =
        r->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? record::ApiDomain::kRuntime : record::ApiDomain::kDriver;
    if (r->cbid == ProbeCall::kCallbackId && domain == record::ApiDomain::kDriver) continue;  // ours
    const ApiClasses::Call& call = state.classes.Known(domain, r->cbid, state.api, context.dictionary);
    if (state.whole_api_kinds && call.unwanted()) continue;
    if (call.capture != ApiClasses::Capture::kNone) FollowCapture(*r, call.capture, domain, state, context);
    const bool captured = call.can_be_captured && state.captures.Contains(r->threadId, r->start);
    if (call.launches) CountLaunch(*r, captured, state);
    const Times times = state.times.Convert(r->start, r->end, context.clock, context.losses);
    next->start = times.start;
    next->end = times.end;
    next->correlation = r->correlationId;
    next->cbid = r->cbid;
    next->return_value = static_cast<int32_t>(r->returnValue);
    next->thread = state.thread_ids_known ? r->threadId : 0;
    next->name = call.name;
    next->domain = domain;
    next->api_class = call.api_class;
    next->captured = captured;
    next->process = 0;
    ++next;
  }
  if (next == state.calls.data()) return;
  context.out.On(std::span<const record::ApiCall>(state.calls.data(), next));
}

}  // namespace slowtoken::cupti
