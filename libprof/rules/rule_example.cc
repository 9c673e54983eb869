#include "rules/rule_example.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace slowtoken::rules {
namespace {

class Writer {
 public:
  explicit Writer(std::span<char> room) : room_(room) {}
  void Add(std::string_view text) {
    const size_t n = std::min(text.size(), room_.size() - used_);
    if (n != 0) memcpy(room_.data() + used_, text.data(), n);
    used_ += n;
  }
  void Add(uint64_t number) {
    char digits[24];
    Add({digits, static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, number).ptr - digits)});
  }
  std::string_view text() const { return {room_.data(), used_}; }

 private:
  std::span<char> room_;
  size_t used_ = 0;
};

}  // namespace

std::string_view WriteMeaning(const RangeRule& rule, const Captures& captures, std::span<char> room) {
  Writer out(room);
  out.Add(rule.as_it_is ? std::string_view("-") : record::kAnnotationTexts[static_cast<size_t>(rule.name)]);
  std::string_view separator = "|";
  for (size_t field = 0; field < record::kAnnotationFieldCount; ++field) {
    for (size_t i = 0; i < captures.count; ++i) {
      const Captures::Value& value = captures.values[i];
      if (static_cast<size_t>(value.field) != field) continue;
      out.Add(separator);
      out.Add(record::kAnnotationFieldTexts[field]);
      out.Add("=");
      value.text.empty() ? out.Add(value.number) : out.Add(value.text);
      separator = ",";
    }
  }
  return out.text();
}

const char* CheckExample(const RangeRules& rules, size_t number, std::string_view text, std::string_view meaning) {
  const RangeRule& rule = rules[number];
  const auto kind = static_cast<record::AnnotationKind>(std::countr_zero(rule.kinds));
  Captures captures;
  const RangeRule* met = rules.FindByName(rule.domain, text, kind, captures);
  if (met == nullptr) return "the example does not match its rule";
  if (met != &rule) return "the example meets another rule, which stands before this one";
  char room[256];
  return WriteMeaning(rule, captures, room) == meaning ? nullptr : "the example means something else";
}

}  // namespace slowtoken::rules
