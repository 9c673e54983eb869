#include "attribution/request_table.h"

#include <iterator>

namespace slowtoken::attribution {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;

namespace {

constexpr uint64_t kWaitReasons = std::size(record::kWaitReasonTexts);

}  // namespace

bool RequestTable::Init(base::Arena& arena, const Limits& limits, base::LossCounters& losses) {
  losses_ = &losses;
  return by_id_.Init(arena, limits.requests) && requests_.Init(arena, limits.requests) &&
         events_.Init(arena, limits.request_events) && tokens_.Init(arena, limits.tokens) &&
         own_.Init(arena, limits.own_iterations) && results_.Init(arena, limits.result_blocks);
}

PoolIndex RequestTable::Find(record::RequestId id) const {
  const PoolIndex* found = by_id_.Find(id);
  return found == nullptr ? 0 : *found;
}

PoolIndex RequestTable::Touch(record::RequestId id, record::ProcessIndex process, TimeNs at) {
  if (id == 0) return 0;
  PoolIndex index = Find(id);
  if (index == 0) {
    index = requests_.Take();
    if (index == 0 && EvictOne()) index = requests_.Take();
    if (index == 0) return 0;
    *by_id_.FindOrInsert(id) = index;
    requests_[index].id = id;
    requests_[index].process = process;
    requests_[index].first_activity = at;
  } else {
    UnlinkRequest(index);
  }
  Request& request = requests_[index];
  LinkRequest(index);
  request.last_activity = std::max(request.last_activity, at);
  if (!request.has_process) request.process = std::min(request.process, process);
  return index;
}

// A tombstone if one is near the old end of the list, else the request that was silent for the longest time.
bool RequestTable::EvictOne() {
  PoolIndex victim = head_;
  int looked_at = 0;
  for (PoolIndex i = head_; i != 0 && looked_at < 16; i = requests_[i].next, ++looked_at) {
    if (requests_[i].done) {
      victim = i;
      break;
    }
  }
  if (victim == 0) return false;
  if (!requests_[victim].done) losses_->Add(base::Loss::kRequestsEvicted);
  Free(victim);
  return true;
}

void RequestTable::LinkRequest(PoolIndex index) {
  requests_[index].next = 0;
  requests_[index].prev = tail_;
  (tail_ == 0 ? head_ : requests_[tail_].next) = index;
  tail_ = index;
}

void RequestTable::UnlinkRequest(PoolIndex index) {
  const PoolIndex next = requests_[index].next, prev = requests_[index].prev;
  (prev == 0 ? head_ : requests_[prev].next) = next;
  (next == 0 ? tail_ : requests_[next].prev) = prev;
}

void RequestTable::Free(PoolIndex index) {
  Empty(requests_[index]);
  by_id_.Erase(requests_[index].id);
  UnlinkRequest(index);
  requests_.Give(index);
}

void RequestTable::Empty(Request& request) {
  for (PoolIndex i = request.events; i != 0;) {
    const PoolIndex next = events_[i].next;
    events_.Give(i);
    i = next;
  }
  request.events = 0;
  DropTokens(request.tokens, request.tokens.tail);
  DropTokens(request.sends, request.sends.tail);
  DropOwn(request, kForever);
  for (EmissionState& state : request.states) results_.Clear(state.gaps);
}

void RequestTable::ForgetDone(TimeNs before) {
  for (PoolIndex i = head_; i != 0;) {
    const PoolIndex next = requests_[i].next;
    if (requests_[i].done && requests_[i].last_activity < before) Free(i);
    i = next;
  }
}

void RequestTable::DropTokens(TokenList& list, PoolIndex last) {
  if (last == 0) return;
  for (bool more = true; more && list.head != 0;) {
    const PoolIndex head = list.head;
    more = head != last;
    list.head = tokens_[head].next;
    if (list.done == head) list.done = 0;
    tokens_.Give(head);
  }
  if (list.head == 0) {
    list.tail = 0;
  } else {
    tokens_[list.head].prev = 0;
  }
}

void RequestTable::DropOwn(Request& request, TimeNs before) {
  while (request.own_head != 0 && own_[request.own_head].start < before) {
    const PoolIndex head = request.own_head;
    request.own_head = own_[head].next;
    own_.Give(head);
  }
  if (request.own_head == 0) request.own_tail = 0;
}

void RequestTable::AddOwn(PoolIndex index, const OwnIteration& own) {
  Request& request = requests_[index];
  const PoolIndex fresh = own_.Take();
  if (fresh == 0) {
    losses_->Add(base::Loss::kTokensEvicted);
    request.lost_something = true;
    return;
  }
  own_[fresh] = own;
  own_[fresh].next = 0;
  if (request.own_tail == 0 || own_[request.own_tail].start <= own.start) {
    (request.own_tail == 0 ? request.own_head : own_[request.own_tail].next) = fresh;
    request.own_tail = fresh;
    return;
  }
  PoolIndex* link = &request.own_head;
  while (own_[*link].start <= own.start) link = &own_[*link].next;
  own_[fresh].next = *link;
  *link = fresh;
}

void RequestTable::Add(const Annotation& annotation) {
  const TimeNs heard = std::max(annotation.start, annotation.end);
  const PoolIndex index = Touch(annotation.req(), annotation.process, heard);
  if (index == 0 || requests_[index].done) return;
  Request& request = requests_[index];
  request.first_activity = std::min(request.first_activity, annotation.start);
  switch (annotation.name) {
    case AnnotationName::kReq:
      return AddLife(request, annotation);
    case AnnotationName::kReqToken:
      return AddToken(request, request.tokens, annotation);
    case AnnotationName::kReqSend:
      return AddToken(request, request.sends, annotation);
    case AnnotationName::kReqFinish:
      return AddFinish(request, annotation);
    case AnnotationName::kReqTokenize:
      return AddEvent(request, RequestEventKind::kTokenize, annotation);
    case AnnotationName::kKvRecv:
      return AddEvent(request, RequestEventKind::kKvRecv, annotation);
    case AnnotationName::kReqQueued:
      return AddEvent(request, RequestEventKind::kQueued, annotation);
    case AnnotationName::kReqScheduled:
      return AddEvent(request, RequestEventKind::kScheduled, annotation);
    case AnnotationName::kReqPreempted:
      return AddEvent(request, RequestEventKind::kPreempted, annotation);
    case AnnotationName::kReqResumed:
      return AddEvent(request, RequestEventKind::kResumed, annotation);
    case AnnotationName::kReqWaiting:
      return AddEvent(request, RequestEventKind::kWaiting, annotation);
    default:
      return;
  }
}

void RequestTable::AddLife(Request& request, const Annotation& annotation) {
  saw_req_ = true;
  request.saw_req = true;
  request.has_process = true;
  request.process = annotation.process;
  request.arrival = annotation.start;
  if (annotation.end != 0) request.end = annotation.end;
  const uint64_t prompt = annotation.Get(AnnotationField::kNPrompt);
  if (prompt > kMostTokens) return losses_->Add(base::Loss::kMalformedAnnotation);
  request.prompt = std::max(request.prompt, prompt);
}

void RequestTable::AddFinish(Request& request, const Annotation& annotation) {
  saw_finish_ = true;
  // Of several (an abort that crosses a stop) the earliest counts, whatever order they come in.
  if (request.finish_time != 0 && request.finish_time <= annotation.start) return;
  request.finish_time = annotation.start;
  request.finish = static_cast<record::FinishReason>(annotation.Get(AnnotationField::kFinishReason));
  AddEvent(request, RequestEventKind::kFinish, annotation);
}

void RequestTable::AddEvent(Request& request, RequestEventKind kind, const Annotation& annotation) {
  if (kind == RequestEventKind::kScheduled) {
    const uint64_t cached =
        annotation.Get(AnnotationField::kCachedTok) + annotation.Get(AnnotationField::kExtCachedTok);
    request.cached = std::max(request.cached, cached);
  }
  if (annotation.end == 0) return;  // still open: it comes again when it is complete
  const auto reason = static_cast<record::WaitReason>(annotation.Get(AnnotationField::kWaitReason) % kWaitReasons);
  PoolIndex* link = &request.events;
  const auto before = [&](const RequestEvent& other) {
    if (other.start != annotation.start) return other.start < annotation.start;
    if (other.kind != kind) return other.kind < kind;
    return other.end != annotation.end ? other.end < annotation.end : other.reason < reason;
  };
  while (*link != 0 && before(events_[*link])) link = &events_[*link].next;
  if (*link != 0) {
    const RequestEvent& next = events_[*link];
    if (next.start == annotation.start && next.kind == kind && next.end == annotation.end && next.reason == reason)
      return;
  }
  const PoolIndex fresh = events_.Take();
  if (fresh == 0) {
    losses_->Add(base::Loss::kTokensEvicted);
    request.lost_something = true;
    return;
  }
  if (kind == RequestEventKind::kPreempted) ++request.preemptions;
  events_[fresh] = {.start = annotation.start, .end = annotation.end, .next = *link, .kind = kind, .reason = reason};
  *link = fresh;
}

bool RequestTable::FindPlace(const TokenList& list, const TokenRecord& record, PoolIndex* after) const {
  *after = list.tail;
  while (*after != 0) {
    const TokenRecord& other = tokens_[*after];
    const bool by_n = other.n != 0 && record.n != 0 && other.n != record.n;
    if (other.n == record.n && other.start == record.start && other.end == record.end) return true;
    if (by_n ? other.n < record.n : other.end < record.end) return false;
    *after = other.prev;
  }
  return false;
}

void RequestTable::AddToken(Request& request, TokenList& list, const Annotation& annotation) {
  const bool absurd =
      annotation.Get(AnnotationField::kN) > kMostTokens || annotation.Get(AnnotationField::kNNew) > kMostNewTokens;
  if (absurd) return losses_->Add(base::Loss::kMalformedAnnotation);
  const bool is_send = annotation.name == AnnotationName::kReqSend;
  saw_send_ = saw_send_ || is_send;
  TokenRecord record{.start = annotation.start,
                     .end = annotation.end,
                     .iter = annotation.Get(AnnotationField::kIterNo),
                     .n = static_cast<uint32_t>(annotation.Get(AnnotationField::kN)),
                     .n_new = static_cast<uint32_t>(annotation.Get(AnnotationField::kNNew)),
                     .has_iter = annotation.Has(AnnotationField::kIterNo),
                     .has_n_new = annotation.Has(AnnotationField::kNNew)};
  const bool carries_nothing = record.has_n_new && record.n_new == 0;  // a keep-alive chunk
  if (record.end == 0 || carries_nothing || (is_send && request.sends_dead)) return;
  PoolIndex after = 0;
  if (FindPlace(list, record, &after)) return;
  const PoolIndex fresh = tokens_.Take();
  if (fresh == 0) {
    losses_->Add(base::Loss::kTokensEvicted);
    request.lost_something = true;
    return;
  }
  record.prev = after;
  record.next = after == 0 ? list.head : tokens_[after].next;
  tokens_[fresh] = record;
  (record.prev == 0 ? list.head : tokens_[record.prev].next) = fresh;
  (record.next == 0 ? list.tail : tokens_[record.next].prev) = fresh;
}

}  // namespace slowtoken::attribution
