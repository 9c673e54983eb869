// AnnotationBuilder: from the text or payload of an llmserve event to record::Annotation: parses, pseudonymises the
// request ids, interns the texts. Worker thread. The rows of a batch stay valid until the next Build.
#pragma once

#include "capture/recorded_text.h"
#include "nvtx/annotation_text.h"
#include "nvtx/payload_decoder.h"
#include "nvtx/pseudonyms.h"
#include "record/dictionary.h"
#include "rules/range_rules.h"

namespace slowtoken::nvtx {

class AnnotationBuilder {
 public:
  // `texts` is borrowed: what names, classes and peers look like in the trace.
  bool Init(base::Arena& arena, const base::SipKey& key, bool clear_ids, uint32_t max_rows,
            capture::RecordedText& texts);

  static size_t MemoryNeeded(bool clear_ids, uint32_t max_rows);

  // Fills name, kind, values and rows of `out`; times and threads are the caller's. False if it is malformed.
  bool FromText(std::string_view text, record::AnnotationKind kind, record::Dictionary& dictionary,
                record::EventVisitor& visitor, record::Annotation& out);
  bool FromPayload(std::string_view name, const DecodedPayload& payload, record::AnnotationKind kind,
                   record::Dictionary& dictionary, record::EventVisitor& visitor, record::Annotation& out);
  // What a rule makes of an engine's own text, whose numbers and ids are `captures`.
  void FromRule(const rules::RangeRule& rule, const rules::Captures& captures, record::AnnotationKind kind,
                record::Dictionary& dictionary, record::EventVisitor& visitor, record::Annotation& out);

 private:
  AnnotationText Blank() {
    AnnotationText blank;
    blank.rows = row_texts_;
    return blank;
  }
  void Finish(const AnnotationText& text, record::AnnotationKind kind, record::Dictionary& dictionary,
              record::EventVisitor& visitor, record::Annotation& out);

  capture::RecordedText* texts_ = nullptr;
  Pseudonyms pseudonyms_;
  std::span<RowText> row_texts_;
  std::span<record::BatchRow> rows_;
};

// "llmserve.<name>.v1" -> "<name>"; empty if `schema` is not of this form.
std::string_view AnnotationNameOfSchema(std::string_view schema);

}  // namespace slowtoken::nvtx
