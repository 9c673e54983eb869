// Which word was probably meant.
#include "nearest.h"

#include <gtest/gtest.h>

namespace slowtoken::cli {
namespace {

const std::vector<std::string> kVerbs = {"run", "report", "resume", "export", "why"};

TEST(Nearest, ATypingErrorIsUndone) {
  EXPECT_EQ(Nearest("reprot", kVerbs), "report");
  EXPECT_EQ(Nearest("eport", {"report", "status"}), "report");
  EXPECT_EQ(Nearest("rum", kVerbs), "run");
  EXPECT_EQ(Nearest("wyh", kVerbs), "why");
}

TEST(Nearest, ABeginningIsCompletedWhereOneWordHasIt) {
  EXPECT_EQ(Nearest("exp", kVerbs), "export");
  EXPECT_EQ(Nearest("re", kVerbs), std::nullopt);
}

TEST(Nearest, WhatIsFarOrBetweenTwoIsNotGuessed) {
  EXPECT_EQ(Nearest("explode", kVerbs), std::nullopt);
  EXPECT_EQ(Nearest("bat", {"cat", "bar"}), std::nullopt);
  EXPECT_EQ(Nearest("", kVerbs), std::nullopt);
  EXPECT_EQ(Nearest(std::string(10'000, 'r'), kVerbs), std::nullopt);
  EXPECT_EQ(DidYouMean("explode", kVerbs), "");
}

}  // namespace
}  // namespace slowtoken::cli
