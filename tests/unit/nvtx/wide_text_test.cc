#include "nvtx/wide_text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace slowtoken::nvtx {
namespace {

template <typename Text>
std::string Convert(Text text, size_t room = 64) {
  std::array<char, 64> out;
  bool fits = true;
  std::string converted(ToUtf8(text, std::span<char>(out).first(room), fits));
  if (!fits) converted += '+';
  return converted;
}

TEST(WideText, EveryLengthOfUtf8) {
  EXPECT_EQ(Convert(std::u32string_view(U"a\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff")),
            "a\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
  EXPECT_EQ(Convert(std::u32string_view()), "");
}

TEST(WideText, WhatIsNoCharacterIsReplaced) {
  const char32_t bad[] = {0xd800, 0xdfff, 0x110000, 0xffffffff};
  EXPECT_EQ(Convert(std::u32string_view(bad, 4)), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(WideText, SurrogatePairsOfUtf16) {
  const char16_t text[] = {u'x', 0xd83d, 0xde00, 0xd83d, u'y', 0xde00, 0xd83d};
  EXPECT_EQ(Convert(std::u16string_view(text, 7)), "x\U0001F600\uFFFDy\uFFFD\uFFFD");
}

TEST(WideText, NoCharacterIsCutInHalf) {
  EXPECT_EQ(Convert(std::u32string_view(U"ab\u00e9"), 3), "ab+");
  EXPECT_EQ(Convert(std::u32string_view(U"ab\u00e9"), 4), "ab\u00e9");
  EXPECT_EQ(Convert(std::u32string_view(U"\U0001F600"), 3), "+");
  EXPECT_EQ(Convert(std::u32string_view(U"a"), 0), "+");
}

}  // namespace
}  // namespace slowtoken::nvtx
