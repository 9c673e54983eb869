// Collector: turns queue records into events: matches pushes with pops and starts with ends, decodes payloads and the
// llmserve vocabulary, and emits ranges, marks, annotations and names. Worker thread only; about 100 ns an event and
// 300 ns an annotation. All memory comes from the arena at Init.
#pragma once

#include "capture/event_source.h"
#include "capture/recorded_text.h"
#include "nvtx/annotation_builder.h"
#include "nvtx/engine_ranges.h"
#include "nvtx/open_ranges.h"
#include "nvtx/record_view.h"
#include "nvtx/recorder.h"
#include "nvtx/thread_directory.h"

namespace slowtoken::nvtx {

class Collector {
 public:
  struct Options {
    base::SipKey key;
    bool clear_ids = false;
    std::string_view clear_domains;  // as RecordedText::Init
    std::string_view role;           // a thread that has the process's name is no secret
    std::string_view rules;          // EngineRanges::Options, as the next
    uint32_t engine = 0;
    uint32_t slots = 0;
    uint32_t strings = 0;  // as NameTable of registered strings
    uint32_t max_rows = 4096;
    OpenRanges::Limits open;
  };
  bool Init(base::Arena& arena, const Options& options, const Recorder& recorder);
  static size_t MemoryNeeded(const Options& options);

  // Frames a round: names of new domains first, ranges that go on last; ends without start are given up two rounds
  // later.
  void BeginRound(capture::CollectContext& context);
  void EndRound(capture::CollectContext& context);

  // One record of slot `slot`, in the order of its queue.
  void Take(uint32_t slot, const RecordHeader& header, const std::byte* record, capture::CollectContext& context);

  // Emits every open range and annotation with end = 0.
  void ForEachOpen(record::EventVisitor& out);

  uint64_t events() const { return events_; }
  uint64_t annotations() const { return annotation_count_; }

 private:
  using Context = capture::CollectContext;

  // What an event turned out to be, on its way to being emitted or kept open.
  struct Meaning {
    bool is_annotation = false;
    bool by_rule = false;  // no llmserve text, but one that a rule of a pack means
    record::StringId message = 0;
    uint32_t category = 0;
    uint32_t color = 0;
  };

  void OnOpen(uint32_t slot, const RecordView& view, Context& context);
  void OnPop(uint32_t slot, const RecordView& view, Context& context);
  void OnEnd(uint32_t slot, const RecordView& view, Context& context);
  void OnMark(uint32_t slot, const RecordView& view, Context& context);
  void OnName(uint32_t slot, const RecordView& view, Context& context);
  void CloseAll(uint32_t slot, record::TimeNs time, Context& context);

  // Decodes text and payload into annotation_ or, with fields_, a plain event.
  Meaning Interpret(uint32_t slot, const RecordView& view, record::AnnotationKind kind, Context& context);
  // True and annotation_ filled if the event speaks the llmserve vocabulary well; `spoke` if it tried.
  bool ReadAnnotation(const RecordView& view, std::string_view text, record::AnnotationKind kind, bool& spoke,
                      Context& context);
  // The same of a text that a rule means.
  bool ReadByRule(uint32_t slot, const RecordView& view, std::string_view text, record::AnnotationKind kind,
                  Context& context);
  void DecodePieces(const RecordView& view, Context& context);
  void AddPlainPayload(const RecordView& view);
  void AddDecodedFields(bool clear, Context& context);

  // The event's text, whatever form it came in; `id` is its number if it is a registered one whose number is known.
  std::string_view TextOf(const RecordView& view, record::StringId*& cached);
  record::StringId Intern(std::string_view text, uint16_t domain, record::StringId* cached, Context& context);
  bool IsClearDomain(uint16_t domain) { return texts_.IsClearDomain(domain, names_->domains.Text(domain)); }

  void KeepFields(OpenRange& range, Context& context);
  // Which ranges have begun and go on, once. Most end in the round in which they began and are told once, as a whole.
  void TellOpen(Context& context);
  // The same of what is around an event of a slot: whether that is kept may hang on its iteration
  // (capture/detail_sampler).
  void TellAround(uint32_t slot, Context& context);
  void TellOpen(OpenRange& range, Context& context);
  // Emits the completed range and frees it.
  void Close(base::PoolIndex index, record::TimeNs end, record::ThreadId end_thread, Context& context);
  static record::NvtxRange ToEvent(const OpenRange& range, record::TimeNs end, record::ThreadId end_thread,
                                   std::span<const record::PayloadField> fields);

  const Names* names_ = nullptr;
  RecordReader reader_;
  AnnotationBuilder builder_;
  capture::RecordedText texts_;
  EngineRanges engine_ranges_;
  OpenRanges open_;
  ThreadDirectory directory_;
  std::span<record::ThreadId> slot_threads_;  // whose records a slot's queue now holds
  std::span<record::StringId> string_ids_;    // dictionary ids of registered strings, as written in string_domains_
  std::span<uint16_t> string_domains_;
  std::array<bool, kDomainLimit> announced_{};  // domains
  DecodedPayload decoded_;
  FieldList fields_;
  record::Annotation annotation_;
  uint32_t round_ = 0;
  uint64_t events_ = 0, annotation_count_ = 0;
};

}  // namespace slowtoken::nvtx
