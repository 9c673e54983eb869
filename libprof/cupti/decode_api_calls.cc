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

// What is the same for all records of one call: looked up once for those in a row.
class CallInRow {
 public:
  CallInRow(DecodeState& state, capture::CollectContext& context) : state_(state), context_(context) {}

  // False if the call is not to be told.
  bool Take(const ApiRecord& r) {
    if (r.cbid != cbid_ || r.kind != kind_) Find(r);
    return told_;
  }
  const ApiClasses::Call& call() const { return *call_; }
  record::ApiDomain domain() const { return domain_; }

 private:
  void Find(const ApiRecord& r) {
    cbid_ = r.cbid;
    kind_ = r.kind;
    domain_ = kind_ == CUPTI_ACTIVITY_KIND_RUNTIME ? record::ApiDomain::kRuntime : record::ApiDomain::kDriver;
    const bool ours = cbid_ == ProbeCall::kCallbackId && domain_ == record::ApiDomain::kDriver;
    call_ = ours ? nullptr : &state_.classes.Known(domain_, cbid_, state_.api, context_.dictionary);
    told_ = !ours && !(state_.whole_api_kinds && call_->unwanted());
  }

  DecodeState& state_;
  capture::CollectContext& context_;
  const ApiClasses::Call* call_ = nullptr;
  CUpti_CallbackId cbid_ = 0;
  CUpti_ActivityKind kind_ = CUPTI_ACTIVITY_KIND_INVALID;  // no record's
  record::ApiDomain domain_ = record::ApiDomain::kRuntime;
  bool told_ = false;
};

}  // namespace

void Decode(std::span<const ApiRecord* const> records, DecodeState& state, capture::CollectContext& context) {
  record::ApiCall* next = state.calls.data();
  CallInRow row(state, context);
  const uint32_t thread_mask = state.thread_ids_known ? ~uint32_t{0} : 0;
  for (const ApiRecord* r : records) {
    if (!row.Take(*r)) continue;
    const ApiClasses::Call& call = row.call();
    if (call.capture != ApiClasses::Capture::kNone) FollowCapture(*r, call.capture, row.domain(), state, context);
    const bool captured = call.can_be_captured && state.captures.Contains(r->threadId, r->start);
    if (call.launches) CountLaunch(*r, captured, state);
    const Times times = state.times.Convert(r->start, r->end, context.clock, context.losses);
    next->start = times.start;
    next->end = times.end;
    next->correlation = r->correlationId;
    next->cbid = r->cbid;
    next->return_value = static_cast<int32_t>(r->returnValue);
    next->thread = r->threadId & thread_mask;
    next->name = call.name;
    next->domain = row.domain();
    next->api_class = call.api_class;
    next->captured = captured;
    next->process = 0;
    ++next;
  }
  if (next == state.calls.data()) return;
  context.out.On(std::span<const record::ApiCall>(state.calls.data(), next));
}

}  // namespace slowtoken::cupti
