#include "attribution/iteration_pass.h"

#include <algorithm>

namespace slowtoken::attribution {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::RowKind;

namespace {

// The process that emitted `iter`, else iter.sample (of an engine that emits parts alone it is the one that launches),
// else iter.schedule.
record::ProcessIndex ProcessOf(const Iteration& iteration) {
  uint64_t thread = iteration.launch_thread;
  if (thread == 0) thread = iteration.sample_thread;
  if (thread == 0) thread = iteration.schedule_thread;
  return static_cast<record::ProcessIndex>(thread >> 32);
}

}  // namespace

bool IterationPass::Init(base::Arena& arena, const EngineConfig& config, const Parts& parts) {
  parts_ = parts;
  settle_ns_ = config.settle_ns;
  deadline_ns_ = config.deadline_ns;
  single_process_ = config.process_count == 1;
  keyless_ = arena.AllocateArray<PoolIndex>(config.limits.ranges);
  ready_ = arena.AllocateArray<Ready>(config.limits.iterations);
  rows_ = arena.AllocateRoom<record::BatchRow>(kMostRows);
  return !keyless_.empty() && !ready_.empty() && !rows_.empty();
}

void IterationPass::Add(const Annotation& annotation) {
  const bool keyed = annotation.Has(AnnotationField::kIterNo);
  if (annotation.name == AnnotationName::kIter && !keyed) return;  // says of no iteration which
  saw_iteration_ = true;
  saw_iter_ = saw_iter_ || annotation.name == AnnotationName::kIter;
  const IterationRange range{.thread = ThreadKey(annotation.process, annotation.thread),
                             .start = annotation.start,
                             .end = annotation.end,
                             .key = annotation.iteration(),
                             .name = annotation.name,
                             .keyed = keyed};
  const PoolIndex index = parts_.ranges->Add(range);
  if (range.end == 0) return;
  if (keyed) {
    Apply(range.key, range);
    if (annotation.name == AnnotationName::kIter) ApplyFields(annotation);
  } else if (index != 0 && keyless_count_ < keyless_.size()) {
    parts_.ranges->SetHeld(index, true);
    keyless_[keyless_count_++] = index;
  }
}

void IterationPass::Apply(const record::IterationKey& key, const IterationRange& range) {
  const bool stale = watermark_ > range.end && watermark_ - range.end > 6 * deadline_ns_;
  const PoolIndex index = stale ? parts_.iterations->Find(key) : parts_.iterations->FindOrAdd(key);
  if (index == 0) return;
  Iteration& iteration = (*parts_.iterations)[index];
  if (!iteration.sealed) iteration.all.Cover(range.start, range.end);
  const auto earlier_thread = [&](uint64_t thread) {
    return thread == 0 ? range.thread : std::min(thread, range.thread);
  };
  switch (range.name) {
    case AnnotationName::kIter:
      iteration.iter.Cover(range.start, range.end);
      iteration.launch_thread = earlier_thread(iteration.launch_thread);
      break;
    case AnnotationName::kIterSchedule:
      iteration.schedule.Cover(range.start, range.end);
      iteration.schedule_thread = earlier_thread(iteration.schedule_thread);
      break;
    case AnnotationName::kIterForward:
      iteration.forward.Cover(range.start, range.end);
      break;
    case AnnotationName::kIterSample:
      iteration.sample.Cover(range.start, range.end);
      iteration.sample_thread = earlier_thread(iteration.sample_thread);
      break;
    case AnnotationName::kIterUpdate:
      iteration.update.Cover(range.start, range.end);
      break;
    default:
      break;
  }
}

void IterationPass::ApplyFields(const Annotation& annotation) {
  const PoolIndex index = parts_.iterations->Find(annotation.iteration());
  if (index == 0) return;
  Iteration& iteration = (*parts_.iterations)[index];
  iteration.flags |= static_cast<uint8_t>(annotation.Get(AnnotationField::kFlags));
  const auto take = [&](AnnotationField field, uint32_t bit, uint64_t* value) {
    if (!annotation.Has(field)) return;
    *value = std::max(*value, annotation.Get(field));
    iteration.present |= bit;
  };
  take(AnnotationField::kKvUsed, 1, &iteration.kv_used);
  take(AnnotationField::kKvTotal, 2, &iteration.kv_total);
  take(AnnotationField::kWaiting, 4, &iteration.waiting);
  const auto count = [&](AnnotationField field, uint32_t* value) {
    if (!annotation.Has(field)) return;
    *value = std::max(*value, static_cast<uint32_t>(std::min<uint64_t>(annotation.Get(field), UINT32_MAX)));
    iteration.present |= record::kIterationSaysCounts;
  };
  if (iteration.sealed) return;
  count(AnnotationField::kNPrefill, &iteration.prefill_rows);
  count(AnnotationField::kNDecode, &iteration.decode_rows);
  count(AnnotationField::kPrefillTok, &iteration.prefill_tokens);
}

void IterationPass::ResolveRanges(TimeNs settled) {
  size_t kept = 0;
  for (size_t i = 0; i < keyless_count_; ++i) {
    const PoolIndex index = keyless_[i];
    const IterationRange& range = (*parts_.ranges)[index];
    const RangeAnswer answer = parts_.ranges->FindAround(index, settled);
    const bool over = settled > range.end && settled - range.end > 5 * deadline_ns_;
    if (answer.verdict == RangeAnswer::kFound) Apply(answer.key, range);
    if (answer.verdict == RangeAnswer::kUnknown && !over && settled != kForever) {
      keyless_[kept++] = index;
    } else {
      parts_.ranges->SetHeld(index, false);
    }
  }
  keyless_count_ = kept;
}

bool IterationPass::IsReady(const Iteration& iteration, TimeNs watermark) const {
  const TimeNs end = iteration.all.end;
  if (watermark == kForever) return true;
  if (watermark < end || watermark - end < settle_ns_) return false;
  const uint64_t waited = watermark - end;
  if (!iteration.iter.known()) return waited >= (single_process_ && !saw_iter_ ? settle_ns_ : 5 * deadline_ns_);
  return waited >= deadline_ns_ || iteration.launches == iteration.launches_matched;
}

void IterationPass::Seal(TimeNs watermark) {
  watermark_ = watermark;
  size_t count = 0;
  parts_.iterations->ForEachUnsealed([&](PoolIndex index) {
    const Iteration& iteration = (*parts_.iterations)[index];
    if (IsReady(iteration, watermark)) ready_[count++] = {iteration.host_end(), index};
  });
  std::sort(ready_.begin(), ready_.begin() + static_cast<ptrdiff_t>(count), [&](const Ready& a, const Ready& b) {
    if (a.end != b.end) return a.end < b.end;
    const record::IterationKey& ka = (*parts_.iterations)[a.index].key;
    const record::IterationKey& kb = (*parts_.iterations)[b.index].key;
    if (ka.engine != kb.engine) return ka.engine < kb.engine;
    return ka.dp_rank != kb.dp_rank ? ka.dp_rank < kb.dp_rank : ka.iter < kb.iter;
  });
  for (size_t i = 0; i < count; ++i) {
    const Iteration& iteration = (*parts_.iterations)[ready_[i].index];
    SealOne(ready_[i].index, iteration.launches != iteration.launches_matched);
  }
  parts_.iterations->UpdateUnsealedStarts();
}

void IterationPass::SealOne(PoolIndex index, bool partial) {
  Iteration& iteration = (*parts_.iterations)[index];
  iteration.partial = partial;
  iteration.busy_ns = parts_.intervals->Normalize(iteration.work);
  iteration.collective_ns = parts_.intervals->Normalize(iteration.collectives);
  if (iteration.collective_ns != 0) {
    iteration.busy_ns = parts_.intervals->UnionLength(iteration.work, iteration.collectives);
  }
  iteration.sample_end = SampleEndOf(iteration, *parts_.intervals);
  const size_t rows = BindRows(iteration);
  parts_.iterations->MarkSealed(index);
  ShareOut(index, rows);
  parts_.habits->Learn(iteration);
  Emit(iteration, rows);
}

// Copies the iteration's rows to rows_ and counts them. Dummy iterations are nobody's.
size_t IterationPass::BindRows(Iteration& iteration) {
  const BatchTracker::Knowledge knowledge = parts_.batches->Known(iteration.key);
  iteration.batch_known = knowledge == BatchTracker::Knowledge::kKnown;
  if (knowledge == BatchTracker::Knowledge::kLost) parts_.losses->Add(base::Loss::kBatchUnknown);
  if (iteration.batch_known) iteration.prefill_rows = iteration.decode_rows = iteration.prefill_tokens = 0;
  if ((iteration.flags & record::kFlagDummy) != 0) return 0;
  size_t count = 0;
  parts_.batches->ForEachRow(iteration.key, [&](const record::BatchRow& row) {
    iteration.members |= MemberBit(row.req);
    if (count < rows_.size()) rows_[count++] = row;
  });
  // In order of request: the order of joining may differ where marks were given again.
  std::sort(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(count),
            [](const record::BatchRow& a, const record::BatchRow& b) { return a.req < b.req; });
  for (const record::BatchRow& row : rows_.first(count)) {
    const bool decodes = row.kind == RowKind::kDecode || row.kind == RowKind::kVerify;
    ++(decodes ? iteration.decode_rows : iteration.prefill_rows);
    if (!decodes) iteration.prefill_tokens += row.n_tok;
  }
  return count;
}

// Share view: GPU work split by tokens, so that the shares add up to it exactly.
void IterationPass::ShareOut(PoolIndex index, size_t rows) {
  const Iteration& iteration = (*parts_.iterations)[index];
  uint64_t tokens = 0;
  for (const record::BatchRow& row : rows_.first(rows)) tokens += std::max(row.n_tok, 1u);
  const auto part_of = [&](uint64_t upto) {  // busy_ns * upto / tokens without overflow
    return iteration.busy_ns / tokens * upto + iteration.busy_ns % tokens * upto / tokens;
  };
  uint64_t before = 0;
  for (const record::BatchRow& row : rows_.first(rows)) {
    const uint64_t upto = before + std::max(row.n_tok, 1u);
    const PoolIndex request = parts_.requests->Touch(row.req, ProcessOf(iteration), iteration.all.end);
    if (request != 0 && !(*parts_.requests)[request].done) {
      Request& member = (*parts_.requests)[request];
      member.gpu_share_ns += part_of(upto) - part_of(before);
      ++member.iterations;
      member.saw_gpu = member.saw_gpu || iteration.has_gpu();
      parts_.requests->AddOwn(request, {.ref = parts_.iterations->RefTo(index),
                                        .iter = iteration.key.iter,
                                        .start = iteration.all.start,
                                        .next = 0,
                                        .kind = row.kind});
    }
    before = upto;
  }
}

bool IterationPass::HasUnsealed(record::RequestId request, TimeNs end) const {
  if (end <= parts_.iterations->unsealed_start()) return false;
  bool found = false;
  parts_.iterations->ForEachUnsealed([&](PoolIndex index) {
    const Iteration& iteration = (*parts_.iterations)[index];
    if (found || iteration.all.start >= end || (iteration.flags & record::kFlagDummy) != 0) return;
    parts_.batches->ForEachRow(iteration.key,
                               [&](const record::BatchRow& row) { found = found || row.req == request; });
  });
  return found;
}

void IterationPass::Emit(const Iteration& iteration, size_t rows) {
  record::IterationSummary summary;
  summary.key = iteration.key;
  const Span& host = iteration.iter.known() ? iteration.iter : iteration.all;
  summary.start = host.start;
  summary.end = host.end;
  summary.gpu_start = iteration.gpu.start;
  summary.gpu_end = iteration.gpu.end;
  summary.sample_end = iteration.sample_end;
  summary.gpu_busy_ns = iteration.busy_ns;
  summary.collective_ns = iteration.collective_ns;
  summary.kernels = iteration.kernels;
  summary.graph_launches = iteration.graph_launches;
  summary.graph = iteration.graph_launches != 0;
  summary.dummy = (iteration.flags & record::kFlagDummy) != 0;
  summary.piecewise = (iteration.flags & record::kFlagPiecewise) != 0;
  summary.batch_known = iteration.batch_known;
  summary.prefill_rows = iteration.prefill_rows;
  summary.decode_rows = iteration.decode_rows;
  summary.prefill_tokens = iteration.prefill_tokens;
  summary.kv_used = iteration.kv_used;
  summary.kv_total = iteration.kv_total;
  summary.waiting = iteration.waiting;
  summary.present = iteration.present;
  summary.process = ProcessOf(iteration);
  summary.rows = rows_.first(rows);
  parts_.metrics->Add(summary);
  parts_.out->On(summary);
}

}  // namespace slowtoken::attribution
