// RangeRules: the rules of all packs, and which of them an NVTX text meets. A rule says what a range or mark that an
// engine emits anyway means in the words of docs/ATTRIBUTION.md §1. Filled once at start (rule_pack.h); then read by
// the thread that fills and asks (the worker; offline the reader). Fixed capacity, about 50 KiB, no allocation.
// May costs some ns and refuses what begins like no rule's text; Find tries the few rules that are left.
#pragma once

#include "rules/text_pattern.h"

namespace slowtoken::rules {

// Which iteration a range belongs to. Engines seldom say a number; where they do it is captured as {iter}.
enum class Numbering : uint8_t {
  kNone,  // not of an iteration, or of the one whose range is around it
  kNew,   // an iteration begins here, unless the thread is inside one
  kThis,  // the one that the thread began last
  kNext,  // the one that it will begin next
};

struct RangeRule {
  std::string_view domain;  // "": the default domain; "*": any
  uint16_t first_part = 0;
  uint16_t part_count = 0;
  uint8_t kinds = 0;  // bits: 1 << AnnotationKind
  uint8_t pack = 0;
  record::AnnotationName name = record::AnnotationName::kReq;
  Numbering numbering = Numbering::kNone;
  bool as_it_is = false;     // it stays what it is; that the engine is this one is all it tells
  bool needs_known = false;  // counts only in processes that are known to be this engine's
  bool main_thread = false;  // counts only there
};

struct PackName {
  static constexpr size_t kMostTitles = 4;
  std::string_view name;
  std::string_view version;
  std::array<std::string_view, kMostTitles> titles;  // beginnings of process titles by which the engine is known
  size_t title_count = 0;
};

class RangeRules {
 public:
  static constexpr size_t kMostRules = 256, kMostParts = 1024, kMostPacks = 16, kMostDomains = 128;

  // An error's text, or nullptr. `pattern` is borrowed for good, like all texts of a rule.
  const char* Add(RangeRule rule, std::string_view pattern);
  // The number of the pack whose rules follow; kMostPacks if there is no room.
  size_t AddPack(const PackName& pack);
  PackName& pack(size_t number) { return packs_[number]; }
  const PackName& pack(size_t number) const { return packs_[number]; }
  size_t pack_count() const { return pack_count_; }
  size_t size() const { return count_; }
  const RangeRule& operator[](size_t rule) const { return rules_[rule]; }

  // Of domain `number`, which is called `name`, may a rule mean `text`?
  bool May(uint16_t number, std::string_view name, std::string_view text) {
    if (text.empty() || number >= kMostDomains) return false;
    if (!domains_[number].known) LearnDomain(number, name);
    const Set& begins = begins_[static_cast<unsigned char>(text.front())];
    uint64_t any = 0;
    for (size_t i = 0; i < kWords; ++i) any |= begins[i] & domains_[number].rules[i];
    return any != 0;
  }

  // The first rule that means it, or nullptr. After May.
  const RangeRule* Find(uint16_t number, std::string_view text, record::AnnotationKind kind, Captures& captures) const;

  // The same by the domain's name, without anything learnt: slow, for checks.
  const RangeRule* FindByName(std::string_view domain, std::string_view text, record::AnnotationKind kind,
                              Captures& captures) const;

 private:
  static constexpr size_t kWords = kMostRules / 64;
  using Set = std::array<uint64_t, kWords>;
  struct Domain {
    Set rules{};
    bool known = false;
  };
  void LearnDomain(uint16_t number, std::string_view name);
  std::span<const PatternPart> PartsOf(const RangeRule& rule) const {
    return std::span(parts_).subspan(rule.first_part, rule.part_count);
  }

  std::array<RangeRule, kMostRules> rules_{};
  std::array<PatternPart, kMostParts> parts_{};
  std::array<PackName, kMostPacks> packs_{};
  std::array<Set, 256> begins_{};  // by the text's first byte
  std::array<Domain, kMostDomains> domains_{};
  size_t count_ = 0, part_count_ = 0, pack_count_ = 0;
};

}  // namespace slowtoken::rules
