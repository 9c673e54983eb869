// RequestTable: the requests alive, by pseudonym, with their events, tokens, sends and own iterations; bounded. Filled
// from annotations in any order. When it is full, the request of which nothing was heard for the longest time is
// forgotten (those already summarised first). Used by attribution only; single threaded; O(1) per event.
#pragma once

#include "attribution/config.h"
#include "attribution/packed_gap.h"
#include "attribution/request.h"
#include "base/flat_map.h"
#include "base/loss.h"

namespace slowtoken::attribution {

class RequestTable {
 public:
  bool Init(base::Arena& arena, const Limits& limits, base::LossCounters& losses);

  // The request of pseudonym `id`, made if absent; 0 for id 0. Says that something was heard of it at `at`.
  PoolIndex Touch(record::RequestId id, record::ProcessIndex process, TimeNs at);
  PoolIndex Find(record::RequestId id) const;

  // Takes in an annotation of a request (req*, kv.recv). Repeats are recognised.
  void Add(const record::Annotation& annotation);

  // Notes that the request took part in an iteration.
  void AddOwn(PoolIndex request, const OwnIteration& own);

  Request& operator[](PoolIndex index) { return requests_[index]; }
  TokenRecord& token(PoolIndex index) { return tokens_[index]; }
  const RequestEvent& event(PoolIndex index) const { return events_[index]; }
  const OwnIteration& own(PoolIndex index) const { return own_[index]; }
  ByteStore& results() { return results_; }

  // Frees token and send records up to `last`, the newest that is done with.
  void DropTokens(TokenList& list, PoolIndex last);
  // Frees own iterations that started before `before`.
  void DropOwn(Request& request, TimeNs before);
  // Frees everything that hangs on a request; the request itself stays as a tombstone.
  void Empty(Request& request);
  // Forgets tombstones of which nothing was heard since `before`.
  void ForgetDone(TimeNs before);

  // visit(PoolIndex) for every request that is not done. The visitor may mark requests as done.
  template <typename Visit>
  void ForEachAlive(Visit visit) {
    for (PoolIndex i = head_; i != 0;) {
      const PoolIndex next = requests_[i].next;
      if (!requests_[i].done) visit(i);
      i = next;
    }
  }

  // visit(const Request&) for every request that is not forgotten yet, done or not.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (PoolIndex i = head_; i != 0; i = requests_[i].next) visit(requests_[i]);
  }

  // Whether requests are seen to end here.
  bool sees_lives() const { return saw_req_ || saw_finish_; }

  // Whether `req` (or a send) was ever seen: then arrivals (sends) of other requests are worth waiting for.
  bool saw_req() const { return saw_req_; }
  bool saw_send() const { return saw_send_; }

 private:
  void Free(PoolIndex request);
  bool EvictOne();
  void AddLife(Request& request, const record::Annotation& annotation);
  void AddFinish(Request& request, const record::Annotation& annotation);
  void AddToken(Request& request, TokenList& list, const record::Annotation& annotation);
  void AddEvent(Request& request, RequestEventKind kind, const record::Annotation& annotation);
  void LinkRequest(PoolIndex index);
  void UnlinkRequest(PoolIndex index);
  // True where an equal record is there already; else `after` is the record to link behind (0 = at the head).
  bool FindPlace(const TokenList& list, const TokenRecord& record, PoolIndex* after) const;

  base::FlatMap<record::RequestId, PoolIndex> by_id_;
  base::Pool<Request> requests_;
  base::Pool<RequestEvent> events_;
  base::Pool<TokenRecord> tokens_;
  base::Pool<OwnIteration> own_;
  ByteStore results_;
  base::LossCounters* losses_ = nullptr;
  PoolIndex head_ = 0, tail_ = 0;
  bool saw_req_ = false, saw_send_ = false, saw_finish_ = false;
};

}  // namespace slowtoken::attribution
