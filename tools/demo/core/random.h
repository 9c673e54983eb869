// Randomness that depends only on its inputs: the demo repeats itself exactly for one seed. Any thread; nanoseconds.
#pragma once

#include <cstdint>
#include <string_view>

namespace slowtoken::demo {

// The finaliser of splitmix64 (Steele, Lea, Flood 2014): every input bit changes half the output bits.
constexpr uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// FNV-1a.
constexpr uint64_t HashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Uniform in [0, 1).
constexpr double Uniform(uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

}  // namespace slowtoken::demo
