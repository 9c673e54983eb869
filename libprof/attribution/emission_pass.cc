#include "attribution/emission_pass.h"

#include <algorithm>

namespace slowtoken::attribution {

bool EmissionPass::Init(base::Arena& arena, const EngineConfig& config, const Parts& parts) {
  parts_ = parts;
  settle_ns_ = config.settle_ns;
  deadline_ns_ = config.deadline_ns;
  candidates_ = arena.AllocateArray<Candidate>(config.limits.tokens);
  own_ = arena.AllocateRoom<OwnEntry>(kMostOwn);
  return !candidates_.empty() && !own_.empty();
}

void EmissionPass::Run(TimeNs watermark) {
  candidate_count_ = 0;
  parts_.requests->ForEachAlive([&](PoolIndex index) {
    Collect(index, Basis::kCommit, watermark);
    Collect(index, Basis::kSend, watermark);
  });
  std::sort(candidates_.begin(), candidates_.begin() + static_cast<ptrdiff_t>(candidate_count_),
            [](const Candidate& a, const Candidate& b) {
              if (a.instant != b.instant) return a.instant < b.instant;
              return a.id != b.id ? a.id < b.id : a.basis < b.basis;
            });
  for (const Candidate& candidate : candidates_.first(candidate_count_)) {
    Request& request = (*parts_.requests)[candidate.request];
    if (MakeNext(request, candidate.basis, watermark)) DropDone(request);
  }
}

void EmissionPass::Collect(PoolIndex index, Basis basis, TimeNs watermark) {
  const Request& request = (*parts_.requests)[index];
  for (PoolIndex i = NextRecord(request, basis); i != 0; i = parts_.requests->token(i).next) {
    const TimeNs instant = parts_.requests->token(i).end;
    const bool settled = watermark == kForever || (watermark >= instant && watermark - instant >= settle_ns_);
    if (!settled || candidate_count_ == candidates_.size()) return;
    candidates_[candidate_count_++] = {instant, request.id, index, basis};
  }
}

PoolIndex EmissionPass::NextRecord(const Request& request, Basis basis) {
  const TokenList& list = basis == Basis::kCommit ? request.tokens : request.sends;
  return list.done == 0 ? list.head : parts_.requests->token(list.done).next;
}

bool EmissionPass::HasPending(const Request& request) {
  return request.tokens.done != request.tokens.tail || request.sends.done != request.sends.tail;
}

bool EmissionPass::MakeNext(Request& request, Basis basis, TimeNs watermark) {
  const PoolIndex index = NextRecord(request, basis);
  if (index == 0) return false;
  TokenRecord& record = parts_.requests->token(index);
  EmissionState& state = request.state(basis);
  const bool overdue = watermark == kForever || (watermark >= record.end && watermark - record.end >= deadline_ns_);
  if (basis == Basis::kCommit && !parts_.requests->saw_send()) request.sends_dead = true;
  Number(record, state);
  Emission emission;
  OwnWork own;
  if (!Describe(request, basis, record, overdue, &emission)) return false;
  if (!FindOwn(request, basis, record, overdue, &emission, &own)) return false;
  if (emission.commit == 0) emission.commit = CommitOf(own.yield);
  emission.partial = emission.partial || request.lost_something;
  Summarise(*parts_.intervals, &own);
  if (state.emissions == 0) {
    MakeFirst(request, basis, emission, own);
  } else {
    MakeGap(request, basis, emission, own);
  }
  const uint64_t tokens = TokensOf(request);
  Move(state, emission, own);
  parts_.metrics->AddGenerated(TokensOf(request) - tokens);
  record.numbered = true;
  request.list(basis).done = index;
  return true;
}

// Works out what the engine left out: a token more than before, or as many as `n` has grown.
void EmissionPass::Number(TokenRecord& record, const EmissionState& state) {
  const auto before = static_cast<uint32_t>(state.n);
  if (!record.has_n_new) record.n_new = state.emissions > 0 && record.n > before ? record.n - before : 1;
  if (record.n_new > kMostNewTokens) {
    parts_.losses->Add(base::Loss::kMalformedAnnotation);
    record.n_new = 1;
    record.n = before + 1;
  }
  if (record.n == 0) record.n = before + record.n_new;
  record.has_n_new = true;
}

// Instant, commit and yielding iteration's number; false while the commit of a send may still come.
bool EmissionPass::Describe(Request& request, Basis basis, const TokenRecord& record, bool overdue,
                            Emission* emission) {
  emission->instant = std::max(record.end, request.state(basis).instant);
  emission->n = record.n;
  emission->n_new = record.n_new;
  const TokenRecord* commit = &record;
  if (basis == Basis::kSend) {
    commit = nullptr;
    PoolIndex i = request.tokens.head;
    while (i != 0 && parts_.requests->token(i).numbered && parts_.requests->token(i).n < record.n) {
      i = parts_.requests->token(i).next;
    }
    if (i != 0 && parts_.requests->token(i).numbered) commit = &parts_.requests->token(i);
    if (i != 0 && commit == nullptr && !overdue) return false;
  }
  if (commit == nullptr) return true;
  emission->commit = commit->start;
  emission->has_iter = commit->has_iter;
  emission->iter = commit->iter;
  return true;
}

bool EmissionPass::FindOwn(Request& request, Basis basis, const TokenRecord& record, bool overdue, Emission* emission,
                           OwnWork* own) {
  const OwnIteration* yield = FindYield(request, basis, record, *emission);
  const Iteration* outside = yield == nullptr && emission->has_iter ? FindOutside(request, *emission) : nullptr;
  const bool missing = yield == nullptr && (outside == nullptr || !outside->sealed);
  if (missing && !overdue && parts_.iteration_pass->saw_iteration()) {
    const TimeNs until = emission->commit != 0 ? emission->commit : emission->instant;
    if (emission->has_iter || parts_.iteration_pass->HasUnsealed(request.id, until)) return false;
  }
  const TimeNs yield_start = yield != nullptr ? yield->start : outside != nullptr ? outside->all.start : 0;
  if (yield_start != 0 && !overdue && parts_.iteration_pass->HasUnsealed(request.id, yield_start)) return false;
  emission->partial = missing && parts_.iteration_pass->saw_iteration();
  *own = Gather(request, request.state(basis), yield, outside, emission);
  return true;
}

// The own iteration that computed the token: the one it names; without a name the next one that yields, or, where a
// send is all that is known, the last one that had committed by then.
const OwnIteration* EmissionPass::FindYield(const Request& request, Basis basis, const TokenRecord& record,
                                            const Emission& emission) {
  const EmissionState& state = request.states[static_cast<size_t>(basis)];
  const OwnIteration* last = nullptr;
  for (PoolIndex i = request.own_head; i != 0; i = parts_.requests->own(i).next) {
    const OwnIteration& own = parts_.requests->own(i);
    if (emission.has_iter) {
      if (own.iter == emission.iter && own.start >= state.yield_start) return &own;
      continue;
    }
    if (own.start <= state.yield_start || own.kind == record::RowKind::kChunk) continue;
    if (emission.commit != 0) return own.start < emission.commit ? &own : nullptr;
    const Iteration* iteration = parts_.iterations->Resolve(own.ref);
    const TimeNs commit = CommitOf(iteration);
    if (commit != 0 && commit <= record.start) last = &own;
  }
  return last;
}

// The named iteration where the batch does not tell that the request was in it.
const Iteration* EmissionPass::FindOutside(const Request& request, const Emission& emission) {
  record::IterationKey key{.iter = emission.iter};
  if (request.own_head != 0) {
    const Iteration* sibling = parts_.iterations->Resolve(parts_.requests->own(request.own_head).ref);
    if (sibling != nullptr) key = {emission.iter, sibling->key.engine, sibling->key.dp_rank};
  }
  const PoolIndex index = parts_.iterations->Find(key);
  return index == 0 ? nullptr : &(*parts_.iterations)[index];
}

OwnWork EmissionPass::Gather(const Request& request, const EmissionState& state, const OwnIteration* yield,
                             const Iteration* outside, Emission* emission) {
  size_t count = 0;
  TimeNs until = emission->commit != 0 ? emission->commit : emission->instant;
  if (yield != nullptr) until = yield->start;
  if (outside != nullptr) until = outside->all.start;
  for (PoolIndex i = request.own_head; i != 0; i = parts_.requests->own(i).next) {
    const OwnIteration& own = parts_.requests->own(i);
    if (own.start <= state.yield_start && &own != yield) continue;
    if (own.start > until || (yield == nullptr && own.start == until)) break;
    const Iteration* iteration = parts_.iterations->Resolve(own.ref);
    if (iteration == nullptr || count == own_.size() - 1) {
      parts_.losses->Add(base::Loss::kIterationsEvicted);
      emission->partial = true;
      continue;
    }
    if (iteration->trimmed) parts_.losses->Add(base::Loss::kIntervalsCoarsened);
    emission->partial = emission->partial || iteration->partial || iteration->trimmed;
    own_[count++] = {iteration, own.kind};
  }
  OwnWork own;
  own.yield = outside;
  if (yield != nullptr) own.yield = parts_.iterations->Resolve(yield->ref);
  if (outside != nullptr) own_[count++] = {outside, record::RowKind::kDecode};
  own.entries = own_.first(count);
  return own;
}

void EmissionPass::MakeFirst(Request& request, Basis basis, const Emission& emission, const OwnWork& own) {
  EmissionState& state = request.state(basis);
  state.first_instant = emission.instant;
  state.first_n = emission.n;
  if (emission.n != emission.n_new) return;  // earlier tokens were not seen: it is not the first
  const TtftInputs inputs{request, own, emission.instant, emission.commit};
  state.ttft = parts_.ttft->MakeTail(inputs);
  parts_.first_causes->JudgeTail(inputs, &state.ttft);
  if (threads_ != nullptr && basis == Live(request)) parts_.first_causes->TellThreads(inputs, *threads_);
  request.partial = request.partial || emission.partial;
}

void EmissionPass::MakeGap(Request& request, Basis basis, const Emission& emission, const OwnWork& own) {
  if (request.basis_fixed && request.basis != basis) return;
  const EmissionState& state = request.state(basis);
  record::GapSummary gap;
  gap.req = request.id;
  gap.process = request.process;
  gap.n = static_cast<uint32_t>(emission.n);
  gap.n_new = static_cast<uint32_t>(emission.n_new);
  const GapInputs inputs{request, own, state.instant, emission.instant, emission.commit, state.commit, state.gpu_end};
  parts_.gaps->Make(inputs, &gap);
  const bool blind = parts_.blind->Overlap(state.instant, emission.instant);
  gap.flags = static_cast<uint16_t>(
      (basis == Basis::kSend ? record::kSawSends : 0) | (blind ? record::kOverlapsBlind : 0) |
      (emission.commit != 0 ? record::kSawTokens : 0) | (own.entries.empty() ? 0 : record::kSawIterations) |
      (own.has_gpu ? record::kSawGpu : 0) | (emission.partial ? record::kPartial : 0));
  parts_.rule->Judge(&gap);
  if (gap.is_stall) parts_.causes->Judge(inputs, &gap);
  if (basis == Live(request)) {
    if (threads_ != nullptr) parts_.causes->TellThreads(inputs, gap, *threads_);
    if (gap.is_stall && parts_.rule->knows_gaps()) parts_.watch->AddStall(gap, parts_.rule->threshold());
    parts_.rule->Learn(gap);
  }
  Keep(request, basis, gap);
}

Basis EmissionPass::Live(const Request& request) {
  if (request.basis_fixed) return request.basis;
  return request.sends_dead ? Basis::kCommit : Basis::kSend;
}

// Where memory is short the basis is decided by what was seen so far, and gaps go out at once.
void EmissionPass::Keep(Request& request, Basis basis, const record::GapSummary& gap) {
  EmissionState& state = request.state(basis);
  if (!request.basis_fixed) {
    if (AppendGap(parts_.requests->results(), state.gaps, gap, state.n)) return;
    request.basis_fixed = true;
    request.basis = request.state(Basis::kSend).emissions > 0 ? Basis::kSend : Basis::kCommit;
    EmitKept(request, request.basis);
  }
  if (basis != request.basis) return;
  parts_.metrics->Add(gap);
  parts_.out->On(gap);
}

void EmissionPass::EmitKept(Request& request, Basis basis) {
  const EmissionState& state = request.state(basis);
  ByteStore& store = parts_.requests->results();
  uint64_t n = state.first_n;
  TimeNs start = state.first_instant;
  for (ByteStore::Reader reader(store, state.gaps); !reader.AtEnd();) {
    record::GapSummary gap;
    gap.req = request.id;
    gap.process = request.process;
    gap.start = start;
    ReadGap(reader, &n, &gap);
    start += gap.gap_ns;
    parts_.metrics->Add(gap);
    parts_.out->On(gap);
  }
  for (EmissionState& kept : request.states) store.Clear(kept.gaps);
}

void EmissionPass::Move(EmissionState& state, const Emission& emission, const OwnWork& own) {
  ++state.emissions;
  state.tokens += emission.n_new;
  state.n = emission.n;
  state.instant = emission.instant;
  state.commit = emission.commit;
  state.gpu_end = own.yield != nullptr ? own.yield->gpu.end : own.last_gpu;
  for (const OwnEntry& entry : own.entries) state.yield_start = std::max(state.yield_start, entry.iteration->all.start);
}

uint64_t EmissionPass::TokensOf(const Request& request) {
  return std::max(request.states[static_cast<size_t>(Basis::kCommit)].tokens,
                  request.states[static_cast<size_t>(Basis::kSend)].tokens);
}

Basis EmissionPass::Choose(const Request& request) {
  if (request.basis_fixed) return request.basis;
  const EmissionState& commits = request.states[static_cast<size_t>(Basis::kCommit)];
  const EmissionState& sends = request.states[static_cast<size_t>(Basis::kSend)];
  const bool all_sent = sends.emissions > 0 && sends.tokens >= commits.tokens && sends.n >= commits.n;
  return all_sent ? Basis::kSend : Basis::kCommit;
}

// Frees what no later emission needs: of the iterations, the last yielding one stays.
void EmissionPass::DropDone(Request& request) {
  const EmissionState& commits = request.state(Basis::kCommit);
  const EmissionState& sends = request.state(Basis::kSend);
  parts_.requests->DropTokens(request.sends, request.sends.done);
  PoolIndex last = 0;
  for (PoolIndex i = request.tokens.head; i != 0 && request.tokens.done != 0; i = parts_.requests->token(i).next) {
    if (!request.sends_dead && parts_.requests->token(i).n > sends.n) break;
    last = i;
    if (i == request.tokens.done) break;
  }
  parts_.requests->DropTokens(request.tokens, last);
  TimeNs behind = std::min(commits.yield_start, sends.yield_start);
  if (request.sends_dead || (request.basis_fixed && request.basis == Basis::kCommit)) behind = commits.yield_start;
  if (commits.emissions == 0) behind = sends.yield_start;
  parts_.requests->DropOwn(request, behind);
}

}  // namespace slowtoken::attribution
