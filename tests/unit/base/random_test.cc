#include "base/random.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace slowtoken::base {
namespace {

TEST(Random, FillsWhatItIsGivenAndNoMore) {
  uint8_t first[32], second[32];
  memset(first, 0xaa, sizeof first);
  memset(second, 0xaa, sizeof second);
  DrawRandom(first + 8, 16);
  DrawRandom(second + 8, 16);
  EXPECT_NE(memcmp(first + 8, second + 8, 16), 0) << "two draws are two";
  for (size_t i : {size_t{0}, size_t{7}, size_t{24}, size_t{31}}) EXPECT_EQ(first[i], 0xaa) << i;
}

TEST(Random, NumbersUseAllTheirBits) {
  uint64_t ones = 0, zeros = 0;
  for (int i = 0; i < 64; ++i) {
    const auto number = RandomNumber<uint64_t>();
    ones |= number;
    zeros |= ~number;
  }
  EXPECT_EQ(ones, UINT64_MAX);
  EXPECT_EQ(zeros, UINT64_MAX);
}

}  // namespace
}  // namespace slowtoken::base
