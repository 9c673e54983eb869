#include "rules/range_rules.h"

#include <bit>

#include "rules/clear_texts.h"

namespace slowtoken::rules {
namespace {

using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;

bool IsMark(AnnotationName name) {
  return (name >= AnnotationName::kReqQueued && name <= AnnotationName::kReqFinish) || name == AnnotationName::kBatch;
}

// `domain` is empty for the default one.
bool IsFor(const RangeRule& rule, std::string_view domain) {
  return rule.domain == "*" || EqualNames(rule.domain, domain);
}

bool HasCapture(std::span<const PatternPart> parts, AnnotationField field) {
  for (const PatternPart& part : parts) {
    const bool captures = part.kind == PatternPart::kNumber || part.kind == PatternPart::kText;
    if (captures && part.field == field) return true;
  }
  return false;
}

// What the vocabulary asks of each name.
const char* CheckMeaning(const RangeRule& rule, std::span<const PatternPart> parts) {
  if (rule.as_it_is) return nullptr;
  constexpr uint8_t kMark = 1 << static_cast<unsigned>(AnnotationKind::kMark);
  if (rule.name == AnnotationName::kBatch || rule.name == AnnotationName::kReqWaiting)
    return "this name needs more than a text can give";
  if (IsMark(rule.name) != (rule.kinds == kMark)) return "this name does not go with this kind";
  if (rule.name <= AnnotationName::kReqFinish && !HasCapture(parts, AnnotationField::kReqId))
    return "this name needs a {req}";
  const bool says_iter = HasCapture(parts, AnnotationField::kIterNo);
  if (says_iter && rule.numbering != Numbering::kNone) return "{iter} and iter= exclude each other";
  if (rule.name == AnnotationName::kIter && !says_iter && rule.numbering != Numbering::kNew)
    return "this name needs an {iter}, or iter=new";
  if (rule.numbering != Numbering::kNone && !record::IsIterationRange(rule.name)) return "iter= is for iter and iter.*";
  return nullptr;
}

}  // namespace

const char* RangeRules::Add(RangeRule rule, std::string_view pattern) {
  if (count_ == kMostRules) return "more than 256 rules";
  if (pattern.empty()) return "an empty text";
  rule.first_part = static_cast<uint16_t>(part_count_);
  size_t used = part_count_;
  while (!pattern.empty()) {
    if (used == kMostParts) return "no room for more patterns";
    if (const char* error = NextPart(pattern, parts_[used++])) return error;
  }
  rule.part_count = static_cast<uint16_t>(used - part_count_);
  const std::span<const PatternPart> parts = PartsOf(rule);
  if (const char* error = CheckParts(parts)) return error;
  if (const char* error = CheckMeaning(rule, parts)) return error;
  for (size_t c = 0; c < begins_.size(); ++c) {
    const PatternPart& first = parts.front();
    const bool begins = first.kind != PatternPart::kLiteral || static_cast<unsigned char>(first.literal.front()) == c;
    if (begins) begins_[c][count_ / 64] |= uint64_t{1} << (count_ % 64);
  }
  part_count_ = used;
  rules_[count_++] = rule;
  return nullptr;
}

size_t RangeRules::AddPack(const PackName& pack) {
  if (pack_count_ == kMostPacks) return kMostPacks;
  packs_[pack_count_] = pack;
  return pack_count_++;
}

void RangeRules::LearnDomain(uint16_t number, std::string_view name) {
  Domain& domain = domains_[number];
  domain.known = true;
  for (size_t i = 0; i < count_; ++i) {
    const bool unnamed = number != 0 && name.empty() && rules_[i].domain.empty();
    if (!unnamed && IsFor(rules_[i], name)) domain.rules[i / 64] |= uint64_t{1} << (i % 64);
  }
}

const RangeRule* RangeRules::FindByName(std::string_view domain, std::string_view text, AnnotationKind kind,
                                        rules::Captures& captures) const {
  for (const RangeRule& rule : std::span(rules_).first(count_)) {
    const bool of_kind = (rule.kinds >> static_cast<unsigned>(kind) & 1) != 0;
    if (of_kind && IsFor(rule, domain) && MatchText(PartsOf(rule), text, captures)) return &rule;
  }
  return nullptr;
}

const RangeRule* RangeRules::Find(uint16_t number, std::string_view text, AnnotationKind kind,
                                  rules::Captures& captures) const {
  const Set& begins = begins_[static_cast<unsigned char>(text.front())];
  for (size_t word = 0; word < kWords; ++word) {
    for (uint64_t left = begins[word] & domains_[number].rules[word]; left != 0; left &= left - 1) {
      const RangeRule& rule = rules_[word * 64 + static_cast<size_t>(std::countr_zero(left))];
      const bool of_kind = (rule.kinds >> static_cast<unsigned>(kind) & 1) != 0;
      if (of_kind && MatchText(PartsOf(rule), text, captures)) return &rule;
    }
  }
  return nullptr;
}

}  // namespace slowtoken::rules
