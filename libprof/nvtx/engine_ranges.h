// EngineRanges: what the ranges and marks of an unmodified engine mean in the words of the llmserve vocabulary, by the
// rules of the packs (rules/range_rules.h): those that come with slowtoken, and the user's, whose rules come first.
// Worker thread. A text that begins like no rule's costs some ns; another the look at a few rules, once an event: texts
// that carry numbers are new each time, and none is remembered. Memory from the arena at Init.
#pragma once

#include "capture/event_source.h"
#include "nvtx/annotation_builder.h"
#include "rules/iteration_numbers.h"

namespace slowtoken::nvtx {

class EngineRanges {
 public:
  struct Options {
    std::string_view pack;  // the user's, as text; borrowed for good
    uint32_t engine = 0;    // IterationNumbers
    uint32_t slots = 0;
  };
  bool Init(base::Arena& arena, const Options& options, base::LossCounters& losses);
  static size_t MemoryNeeded(uint32_t slots) {
    return sizeof(rules::RangeRules) + rules::IterationNumbers::MemoryNeeded(slots);
  }

  struct Said {
    std::string_view text;
    uint16_t domain = 0;
    std::string_view domain_name;
    record::AnnotationKind kind = record::AnnotationKind::kMark;
    uint32_t slot = 0;  // of the thread
    record::ThreadId thread = 0;
  };
  // Whether a rule could mean it; then Read.
  bool May(const Said& said) { return rules_->May(said.domain, said.domain_name, said.text); }
  // True, and `out` filled but for times and threads, if one does.
  bool Read(const Said& said, AnnotationBuilder& builder, capture::CollectContext& context, record::Annotation& out);

  rules::IterationNumbers& numbers() { return numbers_; }

  // Once a round.
  void BeginRound() { looked_at_title_ = false; }

 private:
  void Recognise(size_t pack, capture::CollectContext& context);
  void LookAtTitle(capture::CollectContext& context);

  rules::RangeRules* rules_ = nullptr;
  rules::IterationNumbers numbers_;
  std::array<bool, rules::RangeRules::kMostPacks> known_{};  // the process is this engine's
  bool looked_at_title_ = false;
};

}  // namespace slowtoken::nvtx
