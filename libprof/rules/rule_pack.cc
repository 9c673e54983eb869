#include "rules/rule_pack.h"

#include <algorithm>

#include "rules/engine_packs.inc"  // made from data/*.pack: kPacks

namespace slowtoken::rules {
namespace {

using record::AnnotationKind;
using record::AnnotationName;

constexpr bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

void SkipBlanks(std::string_view& line) {
  while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
}

// The next word of a line, or a text in quotation marks without them. False if none is left, or its end is missing.
bool TakeWord(std::string_view& line, std::string_view& word) {
  SkipBlanks(line);
  if (line.empty()) return false;
  const bool quoted = line.front() == '"';
  if (quoted) line.remove_prefix(1);
  const auto ends = [quoted](char c) { return quoted ? c == '"' : IsBlank(c); };
  const size_t size = static_cast<size_t>(std::find_if(line.begin(), line.end(), ends) - line.begin());
  if (quoted && size == line.size()) return false;
  word = {line.data(), size};
  line.remove_prefix(size + (quoted ? 1 : 0));
  return true;
}

bool FindName(std::string_view text, AnnotationName& name) {
  for (size_t i = 0; i < std::size(record::kAnnotationTexts); ++i) {
    if (text != record::kAnnotationTexts[i]) continue;
    name = static_cast<AnnotationName>(i);
    return true;
  }
  return false;
}

bool ReadKind(std::string_view text, uint8_t& kinds) {
  const auto bit = [](AnnotationKind kind) { return static_cast<uint8_t>(1u << static_cast<unsigned>(kind)); };
  const uint8_t push_pop = bit(AnnotationKind::kPushPop), start_end = bit(AnnotationKind::kStartEnd);
  kinds = text == "push-pop"    ? push_pop
          : text == "start-end" ? start_end
          : text == "range"     ? static_cast<uint8_t>(push_pop | start_end)
          : text == "mark"      ? bit(AnnotationKind::kMark)
                                : uint8_t{0};
  return kinds != 0;
}

// False if it is none.
bool ReadOption(std::string_view word, RangeRule& rule) {
  constexpr std::string_view kDomain = "domain=";
  if (word == "known" || word == "main-thread") {
    (word == "known" ? rule.needs_known : rule.main_thread) = true;
  } else if (word == "iter=new") {
    rule.numbering = Numbering::kNew;
  } else if (word == "iter=this") {
    rule.numbering = Numbering::kThis;
  } else if (word == "iter=next") {
    rule.numbering = Numbering::kNext;
  } else if (word.starts_with(kDomain) && word.size() > kDomain.size()) {
    word.remove_prefix(kDomain.size());
    rule.domain = word;
  } else {
    return false;
  }
  return true;
}

class PackReader {
 public:
  PackReader(RangeRules& rules, const PackListener& listener) : rules_(rules), listener_(listener) {}

  unsigned Read(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      if (const char* error = ReadLine({text.data(), end})) Complain(error);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!has_pack_) Complain("no pack: the first line must be `pack NAME VERSION`");
    return errors_;
  }

 private:
  void Complain(const char* error) {
    ++errors_;
    if (listener_.on_error != nullptr) listener_.on_error(listener_.self, line_, error);
  }

  const char* ReadLine(std::string_view line) {
    SkipBlanks(line);
    if (line.empty() || line.front() == '#') return nullptr;
    std::string_view word;
    if (!TakeWord(line, word)) return "a text without its closing quotation mark";
    if (word == "pack") return ReadPack(line);
    if (!has_pack_) return "before any rule there must be `pack NAME VERSION`";
    if (word == "title") return ReadTitle(line);
    if (word == "rule") return ReadRule(line);
    if (word == "example") return ReadExample(line);
    return "a line begins with pack, title, rule, example or #";
  }

  const char* ReadPack(std::string_view line) {
    PackName pack;
    if (!TakeWord(line, pack.name) || !TakeWord(line, pack.version)) return "a pack is `pack NAME VERSION`";
    if (has_pack_) return "a second pack: one a file";
    number_ = rules_.AddPack(pack);
    if (number_ == RangeRules::kMostPacks) return "more than 16 packs";
    has_pack_ = true;
    return nullptr;
  }

  const char* ReadTitle(std::string_view line) {
    PackName& pack = rules_.pack(number_);
    if (pack.title_count == PackName::kMostTitles) return "more than four titles";
    if (!TakeWord(line, pack.titles[pack.title_count]) || pack.titles[pack.title_count].empty())
      return "a title is `title \"HOW THE PROCESS'S NAME BEGINS\"`";
    ++pack.title_count;
    return nullptr;
  }

  const char* ReadRule(std::string_view line) {
    rule_ = Rule::kWrong;
    RangeRule rule;
    rule.pack = static_cast<uint8_t>(number_);
    std::string_view kind, pattern, name, option;
    if (!TakeWord(line, kind) || !TakeWord(line, pattern) || !TakeWord(line, name))
      return "a rule is `rule KIND \"TEXT\" NAME [OPTION…]`";
    if (!ReadKind(kind, rule.kinds)) return "a kind is push-pop, start-end, range or mark";
    rule.as_it_is = name == "-";
    if (!rule.as_it_is && !FindName(name, rule.name)) return "this name is not of the vocabulary";
    while (TakeWord(line, option)) {
      if (!ReadOption(option, rule))
        return "an option is domain=NAME, iter=new, iter=this, iter=next, known or main-thread";
    }
    if (!line.empty()) return "a text without its closing quotation mark";
    if (const char* error = rules_.Add(rule, pattern)) return error;
    rule_ = Rule::kRead;
    return nullptr;
  }

  const char* ReadExample(std::string_view line) {
    std::string_view text, meaning;
    if (!TakeWord(line, text) || !TakeWord(line, meaning)) return "an example is `example \"TEXT\" MEANING`";
    if (rule_ == Rule::kNone) return "an example without a rule above it";
    if (rule_ == Rule::kRead && listener_.on_example != nullptr)
      listener_.on_example(listener_.self, line_, rules_.size() - 1, text, meaning);
    return nullptr;
  }

  RangeRules& rules_;
  const PackListener& listener_;
  size_t number_ = 0;
  unsigned line_ = 0, errors_ = 0;
  bool has_pack_ = false;
  enum class Rule : uint8_t { kNone, kRead, kWrong } rule_ = Rule::kNone;  // the one above this line
};

}  // namespace

unsigned ReadRulePack(std::string_view text, RangeRules& rules, const PackListener& listener) {
  return PackReader(rules, listener).Read(text);
}

std::span<const std::string_view> ShippedPacks() { return kPacks; }

void ReadShippedPacks(RangeRules& rules) {
  for (const std::string_view pack : kPacks) ReadRulePack(pack, rules);
}

}  // namespace slowtoken::rules
