#include "rule_file.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "rules/rule_example.h"
#include "rules/rule_pack.h"

namespace slowtoken::cli {
namespace {

struct Example {
  unsigned line = 0;
  size_t rule = 0;
  std::string_view text, meaning;
};

struct Heard {
  std::vector<std::pair<unsigned, const char*>> wrong;
  std::vector<Example> examples;
};

Heard ReadPack(const std::string& text, rules::RangeRules& rules) {
  Heard heard;
  rules::PackListener listener{.self = &heard};
  listener.on_error = [](void* self, unsigned line, const char* what) {
    static_cast<Heard*>(self)->wrong.emplace_back(line, what);
  };
  listener.on_example = [](void* self, unsigned line, size_t rule, std::string_view example, std::string_view meaning) {
    static_cast<Heard*>(self)->examples.push_back({line, rule, example, meaning});
  };
  rules::ReadRulePack(text, rules, listener);
  for (const Example& example : heard.examples) {
    const char* what = rules::CheckExample(rules, example.rule, example.text, example.meaning);
    if (what != nullptr) heard.wrong.emplace_back(example.line, what);
  }
  return heard;
}

// The number of rules, if all is well.
absl::StatusOr<size_t> Check(const std::string& path, const std::string& text) {
  const auto rules = std::make_unique<rules::RangeRules>();
  Heard heard = ReadPack(text, *rules);
  if (heard.wrong.empty()) return rules->size();
  std::sort(heard.wrong.begin(), heard.wrong.end());
  const size_t more = heard.wrong.size() - 1;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ":", heard.wrong[0].first, ": ", heard.wrong[0].second,
                   more == 0 ? "" : absl::StrCat(" (and ", more, more == 1 ? " more line)" : " more lines)"),
                   "; correct it, docs/RULES.md has the form"));
}

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  if (file.is_open()) content << file.rdbuf();
  if (!file || file.bad())
    return absl::NotFoundError(absl::StrCat("cannot read the rule pack ", path, "; check its path"));
  std::string text = std::move(content).str();
  if (text.size() > rules::kMostPackBytes)
    return absl::InvalidArgumentError(absl::StrCat(path, ": a rule pack has at most 64 KiB; leave rules out"));
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadRuleFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadWhole(path);
  if (!text.ok()) return text;
  if (absl::Status checked = Check(path, *text).status(); !checked.ok()) return checked;
  return text;
}

absl::StatusOr<size_t> CheckRuleFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadWhole(path);
  return text.ok() ? Check(path, *text) : text.status();
}

}  // namespace slowtoken::cli
