#include "nvtx/annotation_text.h"

#include <charconv>

#include "base/text_table.h"

namespace slowtoken::nvtx {
namespace {

using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;
using record::FieldType;
using record::RowOp;

// Cuts the part before `separator` off `rest` and returns it; all of it if there is no separator.
std::string_view Cut(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  const std::string_view part(rest.data(), at == std::string_view::npos ? rest.size() : at);
  rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : rest.size());
  return part;
}

template <typename T>
bool ParseNumber(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

constexpr base::TextTable kNames(record::kAnnotationTexts);
constexpr base::TextTable kFields(record::kAnnotationFieldTexts);
constexpr base::TextTable kFlags(record::kIterationFlagTexts);
constexpr base::TextTable kFinishReasons(record::kFinishReasonTexts);
constexpr base::TextTable kWaitReasons(record::kWaitReasonTexts);

template <size_t N>
bool FindText(const base::TextTable<N>& texts, std::string_view text, uint64_t& index) {
  const std::optional<size_t> found = texts.Find(text);
  if (found.has_value()) index = *found;
  return found.has_value();
}

// The field of a key. `reason` means one of two things, by the annotation's name.
bool FindField(AnnotationName name, std::string_view key, AnnotationField& field) {
  if (key == "reason") {
    field = name == AnnotationName::kReqFinish ? AnnotationField::kFinishReason : AnnotationField::kWaitReason;
    return true;
  }
  uint64_t index = 0;
  if (!FindText(kFields, key, index)) return false;
  field = static_cast<AnnotationField>(index);
  return true;
}

void Give(AnnotationText& out, AnnotationField field) { out.present |= 1u << static_cast<unsigned>(field); }

// Names joined by '+'; unknown ones are skipped, so that a newer engine's flags do no harm.
uint64_t ParseFlags(std::string_view text) {
  uint64_t flags = 0;
  while (!text.empty()) {
    uint64_t bit = 0;
    if (FindText(kFlags, Cut(text, '+'), bit)) flags |= uint64_t{1} << bit;
  }
  return flags;
}

bool ParseValue(FieldType type, std::string_view value, uint64_t& number) {
  switch (type) {
    case FieldType::kNumber:
      return ParseNumber(value, number);
    case FieldType::kFinish:
      return FindText(kFinishReasons, value, number);
    case FieldType::kWaitReason:
      if (!FindText(kWaitReasons, value, number)) number = 0;  // "other": engines have more reasons than we
      return true;
    case FieldType::kFlags:
      number = ParseFlags(value);
      return true;
    case FieldType::kRequest:
    case FieldType::kText:
      return true;
  }
  return false;
}

bool FindRowOp(std::string_view key, RowOp& op) {
  static constexpr const char* kTexts[] = {"set", "join", "leave", "change"};
  static constexpr base::TextTable kOps(kTexts);
  uint64_t index = 0;
  if (!FindText(kOps, key, index)) return false;
  op = static_cast<RowOp>(index);
  return true;
}

bool FindRowKind(std::string_view text, record::RowKind& kind) {
  for (size_t i = 0; i < std::size(record::kRowKindLetters); ++i) {
    if (text.size() == 1 && text[0] == record::kRowKindLetters[i]) {
      kind = static_cast<record::RowKind>(i);
      return true;
    }
  }
  return false;
}

// "req:n_tok:kind"; a row that leaves may be "req" alone.
bool ParseRow(std::string_view text, RowText& row) {
  row.req = Cut(text, ':');
  if (row.req.empty()) return false;
  if (text.empty()) return row.op == RowOp::kLeave;
  return ParseNumber(Cut(text, ':'), row.n_tok) && FindRowKind(text, row.kind);
}

// Rows separated by ';'. `set=` without rows is an empty batch.
bool ParseRows(AnnotationText& out, RowOp op, std::string_view text) {
  (op == RowOp::kSet ? out.batch_is_set : out.batch_is_change) = true;
  if (text.empty()) return op == RowOp::kSet;
  while (!text.empty()) {
    if (out.row_count == out.rows.size()) return false;
    RowText row;
    row.op = op;
    if (!ParseRow(Cut(text, ';'), row)) return false;
    out.rows[out.row_count++] = row;
  }
  return true;
}

bool IsMarkName(AnnotationName name) {
  switch (name) {
    case AnnotationName::kReqQueued:
    case AnnotationName::kReqScheduled:
    case AnnotationName::kReqPreempted:
    case AnnotationName::kReqResumed:
    case AnnotationName::kReqWaiting:
    case AnnotationName::kReqToken:
    case AnnotationName::kReqFinish:
    case AnnotationName::kBatch:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool FindAnnotationName(std::string_view text, AnnotationName& name) {
  uint64_t index = 0;
  if (!FindText(kNames, text, index)) return false;
  name = static_cast<AnnotationName>(index);
  return true;
}

bool SetField(AnnotationText& out, std::string_view key, std::string_view value) {
  if (RowOp op; out.name == AnnotationName::kBatch && FindRowOp(key, op)) return ParseRows(out, op, value);
  if (key.empty() || value.empty()) return false;
  AnnotationField field{};
  if (!FindField(out.name, key, field)) return true;
  const auto index = static_cast<size_t>(field);
  if (!ParseValue(record::kAnnotationFieldTypes[index], value, out.numbers[index])) return false;
  out.texts[index] = value;
  Give(out, field);
  return true;
}

bool SetField(AnnotationText& out, std::string_view key, uint64_t value) {
  AnnotationField field{};
  if (!FindField(out.name, key, field)) return true;
  const auto index = static_cast<size_t>(field);
  const FieldType type = record::kAnnotationFieldTypes[index];
  if (type != FieldType::kNumber && type != FieldType::kFlags) return false;
  out.numbers[index] = value;
  Give(out, field);
  return true;
}

bool IsComplete(const AnnotationText& a, AnnotationKind kind) {
  if (IsMarkName(a.name) != (kind == AnnotationKind::kMark)) return false;
  if (a.batch_is_set && a.batch_is_change) return false;
  if (a.name <= AnnotationName::kReqFinish && !a.Has(AnnotationField::kReqId)) return false;
  if (a.name == AnnotationName::kReqWaiting) return a.Has(AnnotationField::kWaitReason);
  const bool needs_iter = a.name == AnnotationName::kIter || a.name == AnnotationName::kBatch;
  return !needs_iter || a.Has(AnnotationField::kIterNo);
}

bool ParseAnnotation(std::string_view text, AnnotationKind kind, AnnotationText& out) {
  if (!FindAnnotationName(Cut(text, '|'), out.name)) return false;
  while (!text.empty()) {
    std::string_view value = Cut(text, ',');
    if (value.find('=') == std::string_view::npos) return false;
    const std::string_view key = Cut(value, '=');
    if (!SetField(out, key, value)) return false;
  }
  return IsComplete(out, kind);
}

}  // namespace slowtoken::nvtx
