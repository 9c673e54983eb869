#include "nvtx/collector.h"

#include "nvtx/message.h"

namespace slowtoken::nvtx {

using base::Loss;
using base::PoolIndex;
using record::AnnotationKind;

bool Collector::Init(base::Arena& arena, const Options& options, const Recorder& recorder) {
  names_ = recorder.names;
  slot_threads_ = arena.AllocateArray<record::ThreadId>(options.slots);
  string_ids_ = arena.AllocateArray<record::StringId>(size_t{options.strings} + 1);
  string_domains_ = arena.AllocateArray<uint16_t>(size_t{options.strings} + 1);
  texts_.Init(options.key, options.clear_domains, options.role);
  return !slot_threads_.empty() && !string_ids_.empty() && !string_domains_.empty() && reader_.Init(arena) &&
         builder_.Init(arena, options.key, options.clear_ids, options.max_rows, texts_) &&
         engine_ranges_.Init(arena, {.pack = options.rules, .engine = options.engine, .slots = options.slots},
                             *recorder.losses) &&
         open_.Init(arena, options.open, options.slots) && directory_.Init(arena, options.slots);
}

size_t Collector::MemoryNeeded(const Options& options) {
  const size_t directory = size_t{options.slots} * 2 * 16;
  return options.slots * sizeof(record::ThreadId) +
         (size_t{options.strings} + 1) * (sizeof(record::StringId) + sizeof(uint16_t)) + RecordReader::kScratch +
         AnnotationBuilder::MemoryNeeded(options.clear_ids, options.max_rows) +
         EngineRanges::MemoryNeeded(options.slots) + OpenRanges::MemoryNeeded(options.open, options.slots) + directory;
}

void Collector::BeginRound(Context& context) {
  engine_ranges_.BeginRound();
  const auto announce = [&](uint32_t domain, std::string_view written) {
    announced_[domain] = true;
    context.out.On(
        record::NvtxDomainInfo{.domain = domain, .name = context.dictionary.InternText(written), .process = 0});
  };
  for (uint32_t domain = 1; domain <= names_->domains.last(); ++domain) {
    const std::string_view name = names_->domains.Text(domain);
    if (announced_[domain] || name.empty()) continue;
    announce(domain, texts_.Written(name, texts_.IsClearDomain(domain, name)));
  }
  if (!announced_[kOverflowDomain] && names_->domain_overflow.load(std::memory_order_relaxed)) {
    announce(kOverflowDomain, "(other domains)");
  }
}

void Collector::EndRound(Context& context) {
  ++round_;
  TellOpen(context);
  if (round_ < 2) return;
  if (const uint64_t gone = open_.ExpirePending(round_ - 1); gone != 0) context.losses.Add(Loss::kNvtxUnbalanced, gone);
}

void Collector::Take(uint32_t slot, const RecordHeader& header, const std::byte* record, Context& context) {
  const RecordView view = reader_.Read(header, record);
  switch (header.op) {
    case Op::kLink:
      break;  // the queue follows it
    case Op::kThreadStart:
      CloseAll(slot, context.clock.FromTsc(header.stamp), context);
      slot_threads_[slot] = header.text;
      engine_ranges_.numbers().Restart(slot);
      directory_.Appeared(header.text, texts_, context.dictionary, context.out);
      break;
    case Op::kThreadExit:
      CloseAll(slot, context.clock.FromTsc(header.stamp), context);
      directory_.Exited(slot_threads_[slot]);
      break;
    case Op::kPush:
    case Op::kStart:
      OnOpen(slot, view, context);
      break;
    case Op::kPop:
      OnPop(slot, view, context);
      break;
    case Op::kEnd:
      OnEnd(slot, view, context);
      break;
    case Op::kMark:
      OnMark(slot, view, context);
      break;
    case Op::kNameCategory:
    case Op::kNameThread:
      OnName(slot, view, context);
      break;
  }
}

void Collector::OnOpen(uint32_t slot, const RecordView& view, Context& context) {
  ++events_;
  const bool push = view.header.op == Op::kPush;
  const Meaning meaning = Interpret(slot, view, push ? AnnotationKind::kPushPop : AnnotationKind::kStartEnd, context);
  const PoolIndex index = open_.Take();
  const PoolIndex annotation = index != 0 && meaning.is_annotation ? open_.TakeAnnotation() : 0;
  if (index == 0 || (meaning.is_annotation && annotation == 0)) {
    if (index != 0) open_.Give(index);
    return context.losses.Add(Loss::kRangeTableFull);
  }
  OpenRange& range = open_[index];
  range = {.start = context.clock.FromTsc(view.header.stamp),
           .range_id = view.detail.id,
           .message = meaning.message,
           .domain = view.header.domain,
           .level = view.header.level,
           .category = meaning.category,
           .color = meaning.color,
           .thread = slot_threads_[slot],
           .below = 0,
           .annotation = annotation,
           .fields = 0,
           .by_rule = meaning.by_rule};
  if (meaning.is_annotation) {
    annotation_.start = range.start;
    annotation_.thread = range.thread;
    annotation_.range_id = range.range_id;
    open_.annotation(annotation) = annotation_;
  } else {
    KeepFields(range, context);
    TellAround(slot, context);
  }
  if (push) {
    if (range.by_rule) engine_ranges_.numbers().Opened(slot, annotation_.name);
    return open_.Push(slot, index);
  }
  PendingEnd end;
  if (open_.TakePending(range.range_id, end)) return Close(index, end.time, end.thread, context);
  if (!open_.Start(range.range_id, index)) {
    open_.Give(index);
    context.losses.Add(Loss::kRangeTableFull);
  }
}

// Pops name the level they close. A range above it lost its pop when the slot was full: it ends here at the latest.
void Collector::OnPop(uint32_t slot, const RecordView& view, Context& context) {
  ++events_;
  const record::TimeNs end = context.clock.FromTsc(view.header.stamp);
  for (;;) {
    const PoolIndex index = open_.PopInDomain(slot, view.header.domain, view.header.level);
    if (index == 0) return;  // its push was dropped, and counted there
    OpenRange& range = open_[index];
    const bool last = range.level == view.header.level;
    if (last && view.header.payload != PayloadForm::kNone) {
      const Meaning more = Interpret(slot, view, AnnotationKind::kPushPop, context);
      if (more.message != 0) range.message = more.message;
      if (more.color != 0) range.color = more.color;
      KeepFields(range, context);
    }
    if (range.by_rule) engine_ranges_.numbers().Ended(slot, open_.annotation(range.annotation).name);
    Close(index, end, range.thread, context);
    if (last) return;
  }
}

void Collector::OnEnd(uint32_t slot, const RecordView& view, Context& context) {
  ++events_;
  const record::TimeNs time = context.clock.FromTsc(view.header.stamp);
  const PoolIndex index = open_.End(view.detail.id);
  if (index == 0) {
    const PendingEnd end{.time = time, .thread = slot_threads_[slot], .round = round_};
    if (!open_.AddPending(view.detail.id, end)) context.losses.Add(Loss::kRangeTableFull);
    return;
  }
  if (view.header.payload != PayloadForm::kNone) {
    OpenRange& range = open_[index];
    const Meaning more = Interpret(slot, view, AnnotationKind::kStartEnd, context);
    if (more.message != 0) range.message = more.message;
    KeepFields(range, context);
  }
  Close(index, time, slot_threads_[slot], context);
}

void Collector::OnMark(uint32_t slot, const RecordView& view, Context& context) {
  ++events_;
  const Meaning meaning = Interpret(slot, view, AnnotationKind::kMark, context);
  const record::TimeNs time = context.clock.FromTsc(view.header.stamp);
  if (meaning.is_annotation) {
    ++annotation_count_;
    annotation_.start = annotation_.end = time;
    annotation_.thread = annotation_.end_thread = slot_threads_[slot];
    return context.out.On(annotation_);
  }
  TellAround(slot, context);
  context.out.On(record::NvtxMark{.time = time,
                                  .message = meaning.message,
                                  .domain = view.header.domain,
                                  .category = meaning.category,
                                  .color = meaning.color,
                                  .thread = slot_threads_[slot],
                                  .process = 0,
                                  .fields = {fields_.fields.data(), fields_.count}});
}

void Collector::OnName(uint32_t, const RecordView& view, Context& context) {
  record::StringId* cached = nullptr;
  const std::string_view text = TextOf(view, cached);
  if (view.header.op == Op::kNameThread) {
    const record::StringId name = context.dictionary.InternText(texts_.WrittenThread(text));
    return directory_.Named(static_cast<record::ThreadId>(view.detail.id), name, context.out);
  }
  const record::StringId name = Intern(text, view.header.domain, cached, context);
  context.out.On(record::NvtxCategoryInfo{
      .domain = view.header.domain, .category = view.detail.category, .name = name, .process = 0});
}

// Push/pop ranges end with their thread.
void Collector::CloseAll(uint32_t slot, record::TimeNs time, Context& context) {
  for (PoolIndex index = open_.PopAny(slot); index != 0; index = open_.PopAny(slot)) {
    Close(index, time, open_[index].thread, context);
  }
}

namespace {

// Ranges that attribution must know of while they are open: those of requests and iterations, and all that may stay
// open for long.
bool IsToldWhileOpen(const record::Annotation& annotation) {
  return annotation.kind == AnnotationKind::kStartEnd || annotation.name <= record::AnnotationName::kIterUpdate;
}

}  // namespace

void Collector::TellOpen(OpenRange& range, Context& context) {
  if (range.told || range.annotation == 0) return;
  range.told = true;
  const record::Annotation& annotation = open_.annotation(range.annotation);
  if (IsToldWhileOpen(annotation)) context.out.On(annotation);
}

void Collector::TellOpen(Context& context) {
  open_.ForEach([&](OpenRange& range) { TellOpen(range, context); });
}

void Collector::TellAround(uint32_t slot, Context& context) {
  open_.ForEachIn(slot, [&](OpenRange& range) { TellOpen(range, context); });
}

void Collector::Close(PoolIndex index, record::TimeNs end, record::ThreadId end_thread, Context& context) {
  const OpenRange& range = open_[index];
  if (end < range.start) end = range.start;  // the clock map was refined in between
  if (range.annotation != 0) {
    record::Annotation& annotation = open_.annotation(range.annotation);
    annotation.end = end;
    annotation.end_thread = end_thread;
    ++annotation_count_;
    context.out.On(annotation);
  } else {
    std::span<const record::PayloadField> fields;
    if (range.fields != 0) fields = {open_.fields(range.fields).fields.data(), open_.fields(range.fields).count};
    context.out.On(ToEvent(range, end, end_thread, fields));
  }
  open_.Give(index);
}

record::NvtxRange Collector::ToEvent(const OpenRange& range, record::TimeNs end, record::ThreadId end_thread,
                                     std::span<const record::PayloadField> fields) {
  return {.start = range.start,
          .end = end,
          .range_id = range.range_id,
          .message = range.message,
          .domain = range.domain,
          .category = range.category,
          .color = range.color,
          .thread = range.thread,
          .end_thread = end_thread,
          .process = 0,
          .fields = fields};
}

void Collector::ForEachOpen(record::EventVisitor& out) {
  open_.ForEach([&](OpenRange& range) {
    if (range.annotation != 0) return out.On(open_.annotation(range.annotation));
    std::span<const record::PayloadField> fields;
    if (range.fields != 0) fields = {open_.fields(range.fields).fields.data(), open_.fields(range.fields).count};
    out.On(ToEvent(range, 0, 0, fields));
  });
}

void Collector::KeepFields(OpenRange& range, Context& context) {
  if (fields_.count == 0) return;
  if (range.fields == 0) range.fields = open_.TakeFields();
  if (range.fields == 0) return context.losses.Add(Loss::kPayloadUndecoded);
  FieldList& kept = open_.fields(range.fields);
  for (uint32_t i = 0; i < fields_.count; ++i) {
    if (kept.count == FieldList::kMax) return context.losses.Add(Loss::kPayloadUndecoded);
    kept.fields[kept.count++] = fields_.fields[i];
  }
}

}  // namespace slowtoken::nvtx
