// The llmserve vocabulary as bytes: "name|key=value,key=value" (docs/ATTRIBUTION.md §1), and the same fields as an NVTX
// payload gives them. Pure functions over (bytes): no state, no allocation, any thread; about 30 ns a field.
// Views point into the text that was parsed.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "record/annotation.h"

namespace slowtoken::nvtx {

// A row of a `batch` before its request is pseudonymised.
struct RowText {
  std::string_view req;
  uint32_t n_tok = 0;
  record::RowKind kind = record::RowKind::kDecode;
  record::RowOp op = record::RowOp::kSet;
};

struct AnnotationText {
  record::AnnotationName name = record::AnnotationName::kReq;
  bool batch_is_set = false;
  bool batch_is_change = false;                                         // join=, leave= or change= was given
  uint32_t present = 0;                                                 // bit i: field i was given
  std::array<uint64_t, record::kAnnotationFieldCount> numbers{};        // numbers, reasons, flags
  std::array<std::string_view, record::kAnnotationFieldCount> texts{};  // requests and texts
  std::span<RowText> rows;  // room for the rows of a batch, given by the caller
  size_t row_count = 0;

  bool Has(record::AnnotationField field) const { return (present >> static_cast<unsigned>(field) & 1) != 0; }
};

// Parses `text` (without the prefix of the default domain) into `out`, whose `rows` the caller has set. False if it is
// malformed: unknown name, a field without '=' or value, a number that is none, a row of the wrong form, too many rows,
// a field missing that the name needs, or a name that does not go with `kind`. Unknown keys are skipped, and one
// separator at the end is forgiven.
bool ParseAnnotation(std::string_view text, record::AnnotationKind kind, AnnotationText& out);

// The pieces of it, for the payload form.
bool FindAnnotationName(std::string_view text, record::AnnotationName& name);
bool SetField(AnnotationText& out, std::string_view key, std::string_view value);
bool SetField(AnnotationText& out, std::string_view key, uint64_t value);
bool IsComplete(const AnnotationText& annotation, record::AnnotationKind kind);

}  // namespace slowtoken::nvtx
