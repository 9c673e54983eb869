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

}  // namespace

absl::StatusOr<WhyArguments> ParseWhyArguments(std::vector<std::string> words) {
  std::erase(words, "");
  if (words.empty())
    return absl::InvalidArgumentError(
        "which REQUEST? `slowtoken report` names the slow ones (see slowtoken why --help)");
  WhyArguments arguments;
  const bool first_is_there = IsThere(words[0]);
  if (words.size() == 1) {
    if (first_is_there)
      return absl::InvalidArgumentError(absl::StrCat("which REQUEST of ", words[0], "? `slowtoken report ", words[0],
                                                     "` names the slow ones (see slowtoken why --help)"));
    arguments.request = words[0];
    return arguments;
  }
  const bool names_trace = words.size() == 3 || first_is_there;
  if (names_trace) arguments.paths = {words[0]};
  arguments.request = words[names_trace ? 1 : 0];
  const size_t token = names_trace ? 2 : 1;
  if (token == words.size()) return arguments;
  const absl::StatusOr<uint32_t> number = TokenOf(words[token]);
  if (!number.ok() && !names_trace)
    return absl::NotFoundError(absl::StrCat(words[0], ": no such file or directory; give the TRACE, or leave it out"));
  if (!number.ok()) return number.status();
  arguments.token = *number;
  return arguments;
}

std::string WhyCommand(const std::vector<std::string>& paths, const std::string& run, const std::string& rules,
                       const std::string& slo) {
  std::string command = "slowtoken why";
  if (!run.empty()) absl::StrAppend(&command, " --run=", Quoted(run));
  if (!rules.empty()) absl::StrAppend(&command, " --rules=", Quoted(rules));
  if (!slo.empty()) absl::StrAppend(&command, " --slo=", Quoted(slo));
  if (paths.size() == 1) absl::StrAppend(&command, " ", Quoted(paths[0]));
  return paths.size() > 1 ? absl::StrCat(command, " TRACE") : command;
}

}  // namespace slowtoken::cli
