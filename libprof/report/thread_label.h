// How a thread is called in tables and sentences: names are pseudonyms unless somebody asked for them, roles are not.
// Pure.
#pragma once

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace slowtoken::report {

// A name that the recorder made of one it may not tell ("~f076e7aaba670fe8").
inline bool IsPseudonym(std::string_view name) { return name.starts_with('~'); }

// "scheduling" of "scheduling thread".
inline std::string ShortRole(std::string_view role) {
  constexpr std::string_view kThread = " thread";
  return std::string(role.ends_with(kThread) ? role.substr(0, role.size() - kThread.size()) : role);
}

// In a sentence: "the scheduling thread (4711)", "thread 4711" where its role is not known.
inline std::string ThreadText(uint32_t thread, std::string_view role) {
  return role.empty() ? absl::StrCat("thread ", thread) : absl::StrCat("the ", std::string(role), " (", thread, ")");
}

inline constexpr const char* kNamesInTheClear =
    "  names of threads are pseudonyms here: slowtoken run --clear-domains=threads keeps them readable\n";

}  // namespace slowtoken::report
