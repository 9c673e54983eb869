// Fuzzes rule packs: the input is a pack and, behind a zero byte each, texts that are held against its rules. Whatever
// they say: limits hold, what a rule and a match point to lies inside the texts, and the fast way finds the rule that
// the slow one finds.
#include <memory>
#include <string>

#include "fuzz_input.h"
#include "rules/rule_example.h"
#include "rules/rule_pack.h"

namespace slowtoken::rules {
namespace {

using fuzz::Require;
using fuzz::Within;
using record::AnnotationKind;

struct Reading {
  std::string_view text;
  const RangeRules& rules;
  unsigned errors = 0;
};

void OnError(void* self, unsigned, const char* what) {
  ++static_cast<Reading*>(self)->errors;
  Require(what != nullptr && *what != 0);
}

void OnExample(void* self, unsigned, size_t rule, std::string_view text, std::string_view meaning) {
  const Reading& reading = *static_cast<Reading*>(self);
  Require(rule < reading.rules.size() && Within(text, reading.text) && Within(meaning, reading.text));
  CheckExample(reading.rules, rule, text, meaning);
}

void CheckMatch(RangeRules& rules, std::string_view text) {
  for (const AnnotationKind kind : {AnnotationKind::kPushPop, AnnotationKind::kStartEnd, AnnotationKind::kMark}) {
    for (const auto& [number, domain] : {std::pair<uint16_t, std::string_view>{0, ""}, {1, "D"}}) {
      Captures captures, again;
      const RangeRule* slow = rules.FindByName(domain, text, kind, captures);
      const RangeRule* fast = rules.May(number, domain, text) ? rules.Find(number, text, kind, again) : nullptr;
      Require(slow == fast || text.empty());
      if (slow == nullptr) continue;
      Require(captures.count <= kMostCaptures);
      for (size_t i = 0; i < captures.count; ++i) Require(Within(captures.values[i].text, text));
      char room[64];
      Require(WriteMeaning(*slow, captures, room).size() <= sizeof room);
    }
  }
}

void Check(std::string_view input) {
  const std::string_view pack = input.substr(0, input.find('\0'));
  const auto rules = std::make_unique<RangeRules>();
  Reading reading{pack, *rules};
  Require(ReadRulePack(pack, *rules, {&reading, OnError, OnExample}) == reading.errors);
  Require(rules->size() <= RangeRules::kMostRules && rules->pack_count() <= 1);
  for (;;) {
    const size_t zero = input.find('\0');
    if (zero == std::string_view::npos) return;
    input.remove_prefix(zero + 1);
    CheckMatch(*rules, input.substr(0, input.find('\0')));
  }
}

}  // namespace
}  // namespace slowtoken::rules

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string copy(reinterpret_cast<const char*>(data), size);
  slowtoken::rules::Check(copy);
  return 0;
}
