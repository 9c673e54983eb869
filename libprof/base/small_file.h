// Reads small files of /proc and /sys, and picks text apart. Any thread. Reading is
// about ten system calls: the descriptor is a high one, and is only closed while it is ours (kept_descriptor.h).
#pragma once

#include <cstddef>
#include <string_view>

namespace slowtoken::base {

// Up to `capacity` - 1 bytes of the file, 0-terminated; the number read, 0 where it cannot be read.
size_t ReadSmallFile(const char* path, char* out, size_t capacity);

// `count` bytes of `text` from `at`, or as many as there are: std::string_view::substr would throw.
inline std::string_view Part(std::string_view text, size_t at, size_t count = std::string_view::npos) {
  if (at >= text.size()) return {};
  return {text.data() + at, count < text.size() - at ? count : text.size() - at};
}

inline bool BeginsWith(std::string_view text, std::string_view prefix) {
  return Part(text, 0, prefix.size()) == prefix;
}

// What follows `prefix` on the first line of `text` that begins with it, trimmed; empty
// if there is none.
std::string_view LineAfter(std::string_view text, std::string_view prefix);

// The text up to `end`, taken off `text` together with it; all of `text` where `end` is not in it.
std::string_view Take(std::string_view& text, char end);

// Without the blanks, ends of line and quotation marks around it.
std::string_view Trimmed(std::string_view text);

}  // namespace slowtoken::base
