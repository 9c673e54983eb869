#include "base/env.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace slowtoken::base {
namespace {

TEST(Env, SizesWithSuffixes) {
  EXPECT_EQ(ParseSize("0"), 0u);
  EXPECT_EQ(ParseSize("250"), 250u);
  EXPECT_EQ(ParseSize("4K"), 4096u);
  EXPECT_EQ(ParseSize("64M"), 64u << 20);
  EXPECT_EQ(ParseSize("2G"), 2ull << 30);
}

TEST(Env, WhatIsNotASizeIsRefused) {
  for (const char* text :
       {"", "M", "-1", " 1", "1 ", "1m", "1MB", "0x10", "1.5G", "99999999999999999999", "18446744073709551615K"}) {
    EXPECT_FALSE(ParseSize(text).has_value()) << text;
  }
}

TEST(Env, HexOfExactlyTheWantedLength) {
  uint8_t out[2];
  ASSERT_TRUE(ParseHex("A0ff", out, 2));
  EXPECT_EQ(out[0], 0xa0);
  EXPECT_EQ(out[1], 0xff);
  for (const char* text : {"", "a0f", "a0fff", "a0fg", "a0f-"}) EXPECT_FALSE(ParseHex(text, out, 2)) << text;
}

TEST(Env, UnsetIsEmpty) {
  unsetenv("SLOWTOKEN_TEST_VARIABLE");
  EXPECT_EQ(EnvText("SLOWTOKEN_TEST_VARIABLE"), "");
  setenv("SLOWTOKEN_TEST_VARIABLE", "x", 1);
  EXPECT_EQ(EnvText("SLOWTOKEN_TEST_VARIABLE"), "x");
}

}  // namespace
}  // namespace slowtoken::base
