#include "why_arguments.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <filesystem>

namespace slowtoken::cli {
namespace {

bool IsThere(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

absl::StatusOr<uint32_t> TokenOf(const std::string& word) {
  uint32_t token = 0;
  if (absl::SimpleAtoi(word, &token) && token != 0) return token;
  return absl::InvalidArgumentError(absl::StrCat("'", word, "' is no TOKEN: give its number, from 1"));
}

std::string Quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || std::string_view("/._-+:,=").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return plain ? text : absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// How many of the first of two words or more are traces: those that are there. The last word is none, and of three the
// first is always one.
size_t CountTraces(const std::vector<std::string>& words) {
  if (words.size() == 3 && (!IsThere(words[1]) || TokenOf(words[2]).ok())) return 1;
  const auto none = std::find_if_not(words.begin(), words.end() - 1, IsThere);
  return static_cast<size_t>(none - words.begin());
}

}  // namespace

absl::StatusOr<WhyArguments> ParseWhyArguments(std::vector<std::string> words) {
  std::erase(words, "");
  if (words.empty())
    return absl::InvalidArgumentError(
        "which REQUEST? `slowtoken report` names the slow ones (see slowtoken why --help)");
  WhyArguments arguments;
  if (words.size() == 1) {
    if (IsThere(words[0]))
      return absl::InvalidArgumentError(absl::StrCat("which REQUEST of ", words[0], "? `slowtoken report ", words[0],
                                                     "` names the slow ones (see slowtoken why --help)"));
    arguments.request = words[0];
    return arguments;
  }
  const size_t traces = CountTraces(words);
  arguments.paths.assign(words.begin(), words.begin() + static_cast<ptrdiff_t>(traces));
  arguments.request = words[traces];
  if (traces + 1 == words.size()) return arguments;
  const absl::StatusOr<uint32_t> number = TokenOf(words[traces + 1]);
  if (!number.ok() && traces == 0)
    return absl::NotFoundError(absl::StrCat(words[0], ": no such file or directory; give the TRACE, or leave it out"));
  if (!number.ok()) return number.status();
  if (traces + 2 < words.size())
    return absl::InvalidArgumentError(
        absl::StrCat("'", words[traces + 2], "' is one word too many: it takes [TRACE…] REQUEST [TOKEN]"));
  arguments.token = *number;
  return arguments;
}

std::string WhyCommand(const std::vector<std::string>& paths, const std::string& run, const std::string& rules,
                       const std::string& slo) {
  std::string command = "slowtoken why";
  if (!run.empty()) absl::StrAppend(&command, " --run=", Quoted(run));
  if (!rules.empty()) absl::StrAppend(&command, " --rules=", Quoted(rules));
  if (!slo.empty()) absl::StrAppend(&command, " --slo=", Quoted(slo));
  for (const std::string& path : paths) absl::StrAppend(&command, " ", Quoted(path));
  return command;
}

}  // namespace slowtoken::cli
