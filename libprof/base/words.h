// Several neighbouring members of a struct read as one word, where they are compared by the hundred thousand. Whoever
// uses it asserts where the members stand. One load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace slowtoken::base {

template <typename Word = uint64_t>
Word WordAt(const void* object, size_t offset) {
  Word word;
  memcpy(&word, static_cast<const char*>(object) + offset, sizeof word);
  return word;
}

}  // namespace slowtoken::base
