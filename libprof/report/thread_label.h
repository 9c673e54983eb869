// How a thread is called in tables: names are pseudonyms unless somebody asked for them, roles are not. Pure.
#pragma once

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

inline constexpr const char* kNamesInTheClear =
    "  names of threads are pseudonyms here: slowtoken run --clear-domains=threads keeps them readable\n";

}  // namespace slowtoken::report
