#include "nvtx/annotation_builder.h"

#include <bit>
#include <charconv>

namespace slowtoken::nvtx {

using record::AnnotationField;
using record::AnnotationKind;
using record::FieldType;

namespace {

constexpr uint32_t kRememberedIds = 16384;

}  // namespace

size_t AnnotationBuilder::MemoryNeeded(bool clear_ids, uint32_t max_rows) {
  return max_rows * (sizeof(RowText) + sizeof(record::BatchRow)) + (clear_ids ? kRememberedIds * 2 * 16 : 0);
}

bool AnnotationBuilder::Init(base::Arena& arena, const base::SipKey& key, bool clear_ids, uint32_t max_rows,
                             capture::RecordedText& texts) {
  texts_ = &texts;
  row_texts_ = arena.AllocateRoom<RowText>(max_rows);
  rows_ = arena.AllocateRoom<record::BatchRow>(max_rows);
  return !row_texts_.empty() && !rows_.empty() && pseudonyms_.Init(arena, key, clear_ids, kRememberedIds);
}

bool AnnotationBuilder::FromText(std::string_view text, AnnotationKind kind, record::Dictionary& dictionary,
                                 record::EventVisitor& visitor, record::Annotation& out) {
  AnnotationText parsed = Blank();
  if (!ParseAnnotation(text, kind, parsed)) return false;
  Finish(parsed, kind, dictionary, visitor, out);
  return true;
}

namespace {

// A payload's field as the text form would give it. Requests may be numbers in a payload.
bool SetFromPayload(AnnotationText& annotation, const DecodedField& field) {
  using record::PayloadType;
  if (field.type == PayloadType::kText) return field.text.empty() || SetField(annotation, field.name, field.text);
  if (field.type == PayloadType::kInt && static_cast<int64_t>(field.bits) < 0) return true;  // "not known"
  return (field.type == PayloadType::kUint || field.type == PayloadType::kInt) &&
         SetField(annotation, field.name, field.bits);
}

bool IsRequestKey(std::string_view key) { return key == "req" || key == "parent" || key == "alias"; }

}  // namespace

bool AnnotationBuilder::FromPayload(std::string_view name, const DecodedPayload& payload, AnnotationKind kind,
                                    record::Dictionary& dictionary, record::EventVisitor& visitor,
                                    record::Annotation& out) {
  AnnotationText parsed = Blank();
  if (!FindAnnotationName(name, parsed.name)) return false;
  char digits[3][24];
  size_t numbers = 0;
  for (size_t i = 0; i < payload.count; ++i) {
    DecodedField field = payload.fields[i];
    const bool number = field.type == record::PayloadType::kUint || field.type == record::PayloadType::kInt;
    if (number && IsRequestKey(field.name) && numbers < std::size(digits)) {
      char* text = digits[numbers++];
      field.text = {text, static_cast<size_t>(std::to_chars(text, text + sizeof digits[0], field.bits).ptr - text)};
      field.type = record::PayloadType::kText;
    }
    if (!SetFromPayload(parsed, field)) return false;
  }
  if (!IsComplete(parsed, kind)) return false;
  Finish(parsed, kind, dictionary, visitor, out);
  return true;
}

void AnnotationBuilder::FromRule(const rules::RangeRule& rule, const rules::Captures& captures, AnnotationKind kind,
                                 record::Dictionary& dictionary, record::EventVisitor& visitor,
                                 record::Annotation& out) {
  AnnotationText said = Blank();
  said.name = rule.name;
  for (const rules::Captures::Value& value : std::span(captures.values).first(captures.count)) {
    const auto index = static_cast<size_t>(value.field);
    said.present |= 1u << index;
    said.numbers[index] = value.number;
    said.texts[index] = value.text;
  }
  out = {};
  Finish(said, kind, dictionary, visitor, out);
}

void AnnotationBuilder::Finish(const AnnotationText& text, AnnotationKind kind, record::Dictionary& dictionary,
                               record::EventVisitor& visitor, record::Annotation& out) {
  out.name = text.name;
  out.kind = kind;
  out.batch_is_set = text.batch_is_set;
  for (uint32_t left = text.present; left != 0; left &= left - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(left));
    const auto field = static_cast<AnnotationField>(i);
    switch (record::kAnnotationFieldTypes[i]) {
      case FieldType::kRequest:
        out.Set(field, pseudonyms_.Of(text.texts[i], visitor));
        break;
      case FieldType::kText:
        // W3C trace ids are there to be found elsewhere.
        out.Set(field, dictionary.InternText(
                           texts_->Written(text.texts[i], field == AnnotationField::kTrace || texts_->all_clear())));
        break;
      default:
        out.Set(field, text.numbers[i]);
        break;
    }
  }
  for (size_t i = 0; i < text.row_count; ++i) {
    const RowText& row = text.rows[i];
    rows_[i] = {.req = pseudonyms_.Of(row.req, visitor), .n_tok = row.n_tok, .kind = row.kind, .op = row.op};
  }
  out.rows = rows_.first(text.row_count);
}

std::string_view AnnotationNameOfSchema(std::string_view schema) {
  constexpr std::string_view kStart = "llmserve.", kEnd = ".v1";
  if (!schema.starts_with(kStart) || !schema.ends_with(kEnd) || schema.size() <= kStart.size() + kEnd.size()) return {};
  return {schema.data() + kStart.size(), schema.size() - kStart.size() - kEnd.size()};
}

}  // namespace slowtoken::nvtx
