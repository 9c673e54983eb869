// NamePattern: whether a name matches one pattern of a rules file. Pure; no allocation; linear in the name for each
// `*`.
#pragma once

#include <string_view>

namespace slowtoken::rules {

// Parts of the name, in order, with anything between them at `*`. `^` and `$` pin the ends, `<` at the start says that
// no letter stands before.
constexpr bool MatchesName(std::string_view pattern, std::string_view name) {
  const bool at_start = pattern.starts_with('^'), whole_word = pattern.starts_with('<');
  if (at_start || whole_word) pattern.remove_prefix(1);
  const bool at_end = pattern.ends_with('$');
  if (at_end) pattern.remove_suffix(1);
  size_t from = 0;
  for (bool first = true;; first = false) {
    const size_t star = pattern.find('*');
    const std::string_view part = pattern.substr(0, star);
    const bool last = star == std::string_view::npos;
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    size_t at = from;
    if (first && at_start) {
      if (!name.starts_with(part)) return false;
    } else if (last && at_end) {
      if (name.size() < from + part.size() || !name.ends_with(part)) return false;
      at = name.size() - part.size();
    } else {
      at = name.find(part, from);
      while (first && whole_word && at != std::string_view::npos && at > 0 && letter(name[at - 1])) {
        at = name.find(part, at + 1);
      }
      if (at == std::string_view::npos) return false;
    }
    from = at + part.size();
    if (last) return !at_end || from == name.size();
    pattern.remove_prefix(star + 1);
  }
}

}  // namespace slowtoken::rules
