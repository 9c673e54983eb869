#include "base/text_table.h"

#include <gtest/gtest.h>

namespace slowtoken::base {
namespace {

constexpr const char* kTexts[] = {"req", "req.token", "reason", "iter", "reason", "n", "dup", ""};
constexpr TextTable kTable(kTexts);

TEST(TextTable, FindsEachText) {
  EXPECT_EQ(kTable.Find("req"), 0u);
  EXPECT_EQ(kTable.Find("req.token"), 1u);
  EXPECT_EQ(kTable.Find("iter"), 3u);
  EXPECT_EQ(kTable.Find("n"), 5u);
  EXPECT_EQ(kTable.Find(""), 7u);
}

TEST(TextTable, OfEqualTextsTheFirstCounts) { EXPECT_EQ(kTable.Find("reason"), 2u); }

TEST(TextTable, WhatIsNotThereIsNotFound) {
  for (const char* text : {"re", "reqq", "req.toke", "Iter", "m", " ", "nn"}) EXPECT_FALSE(kTable.Find(text)) << text;
  std::string text = "req";
  text[1] = '\xff';
  EXPECT_FALSE(kTable.Find(text));
}

}  // namespace
}  // namespace slowtoken::base
