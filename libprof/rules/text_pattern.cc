#include "rules/text_pattern.h"

#include <algorithm>
#include <charconv>

namespace slowtoken::rules {
namespace {

using record::AnnotationField;
using record::FieldType;

bool FindField(std::string_view key, AnnotationField& field) {
  for (size_t i = 0; i < record::kAnnotationFieldCount; ++i) {
    if (key != record::kAnnotationFieldTexts[i]) continue;
    field = static_cast<AnnotationField>(i);
    return true;
  }
  return false;
}

const char* FieldPart(std::string_view key, PatternPart& part) {
  if (!FindField(key, part.field)) return "a {field} is none of the vocabulary";
  switch (record::kAnnotationFieldTypes[static_cast<size_t>(part.field)]) {
    case FieldType::kNumber:
      part.kind = PatternPart::kNumber;
      return nullptr;
    case FieldType::kRequest:
      part.kind = PatternPart::kText;
      return nullptr;
    default:
      return "a {field} must be a number or a request's id";
  }
}

bool TakeNumber(std::string_view& text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// What `*` or an id covers: up to `next`, or everything where nothing follows.
bool TakeUpTo(const PatternPart* next, std::string_view& text, std::string_view& taken) {
  const size_t at = next == nullptr ? text.size() : text.find(next->literal);
  if (at == std::string_view::npos) return false;
  taken = {text.data(), at};
  text.remove_prefix(at);
  return true;
}

}  // namespace

const char* NextPart(std::string_view& pattern, PatternPart& part) {
  part = {};
  if (pattern.front() == '*') {
    part.kind = PatternPart::kAny;
    pattern.remove_prefix(1);
    return nullptr;
  }
  if (pattern.front() == '{') {
    const size_t end = pattern.find('}');
    if (end == std::string_view::npos) return "a { without }";
    const std::string_view key(pattern.data() + 1, end - 1);
    pattern.remove_prefix(end + 1);
    return FieldPart(key, part);
  }
  const size_t end = std::min(pattern.find_first_of("*{"), pattern.size());
  part.literal = {pattern.data(), end};
  pattern.remove_prefix(end);
  return nullptr;
}

const char* CheckParts(std::span<const PatternPart> parts) {
  size_t captures = 0;
  uint32_t seen = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const PatternPart* next = i + 1 < parts.size() ? &parts[i + 1] : nullptr;
    const bool open = parts[i].kind == PatternPart::kAny || parts[i].kind == PatternPart::kText;
    if (open && next != nullptr && next->kind != PatternPart::kLiteral)
      return "nothing tells where a * or an id ends: put text behind it";
    if (parts[i].kind == PatternPart::kNumber && next != nullptr && next->kind == PatternPart::kNumber)
      return "two numbers stand beside each other";
    if (parts[i].kind != PatternPart::kNumber && parts[i].kind != PatternPart::kText) continue;
    const uint32_t bit = 1u << static_cast<unsigned>(parts[i].field);
    if ((seen & bit) != 0) return "a {field} stands there twice";
    seen |= bit;
    if (++captures > kMostCaptures) return "more than six {field}s";
  }
  return nullptr;
}

bool MatchText(std::span<const PatternPart> parts, std::string_view text, Captures& captures) {
  captures.count = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const PatternPart& part = parts[i];
    if (part.kind == PatternPart::kLiteral) {
      if (!text.starts_with(part.literal)) return false;
      text.remove_prefix(part.literal.size());
      continue;
    }
    Captures::Value value{.field = part.field, .number = 0, .text = {}};
    const PatternPart* next = i + 1 < parts.size() ? &parts[i + 1] : nullptr;
    const bool taken =
        part.kind == PatternPart::kNumber ? TakeNumber(text, value.number) : TakeUpTo(next, text, value.text);
    if (!taken || (part.kind == PatternPart::kText && value.text.empty())) return false;
    if (part.kind != PatternPart::kAny) captures.values[captures.count++] = value;
  }
  return text.empty();
}

}  // namespace slowtoken::rules
