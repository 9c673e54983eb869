// The patterns of rule packs: what matches, what is captured, what is no pattern.
#include "rules/text_pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace slowtoken::rules {
namespace {

using record::AnnotationField;

// The parts of a pattern, or what is wrong with it.
struct Pattern {
  explicit Pattern(std::string_view text) {
    while (!text.empty() && error.empty()) {
      if (const char* wrong = NextPart(text, parts.emplace_back())) error = wrong;
    }
    if (const char* wrong = error.empty() ? CheckParts(parts) : nullptr) error = wrong;
  }
  bool Matches(std::string_view text) { return MatchText(parts, text, captures); }
  std::vector<PatternPart> parts;
  std::string error;
  Captures captures;
};

TEST(TextPattern, ALiteralIsTheWholeText) {
  Pattern pattern("schedule: allocate_slots");
  EXPECT_TRUE(pattern.Matches("schedule: allocate_slots"));
  EXPECT_FALSE(pattern.Matches("schedule: allocate_slots "));
  EXPECT_FALSE(pattern.Matches("schedule: allocate"));
  EXPECT_FALSE(pattern.Matches(""));
}

TEST(TextPattern, NumbersAreCapturedWithTheirFields) {
  Pattern pattern("execute_context_{n_prefill}({prefill_tok})_generation_{n_decode}(*)");
  ASSERT_TRUE(pattern.Matches("execute_context_9(4096)_generation_37(37)")) << pattern.error;
  ASSERT_EQ(pattern.captures.count, 3u);
  EXPECT_EQ(pattern.captures.values[0].field, AnnotationField::kNPrefill);
  EXPECT_EQ(pattern.captures.values[0].number, 9u);
  EXPECT_EQ(pattern.captures.values[1].number, 4096u);
  EXPECT_EQ(pattern.captures.values[2].field, AnnotationField::kNDecode);
  EXPECT_EQ(pattern.captures.values[2].number, 37u);
  EXPECT_FALSE(pattern.Matches("execute_context_(4096)_generation_37(37)")) << "no digits are no number";
  EXPECT_FALSE(pattern.Matches("execute_context_9(-1)_generation_37(37)"));
  EXPECT_FALSE(pattern.Matches("execute_context_99999999999999999999999(1)_generation_37(37)")) << "beyond 64 bits";
}

TEST(TextPattern, AnIdReachesToWhatFollowsIt) {
  Pattern pattern("request {req} done");
  ASSERT_TRUE(pattern.Matches("request cmpl-7 done"));
  EXPECT_EQ(pattern.captures.values[0].text, "cmpl-7");
  EXPECT_FALSE(pattern.Matches("request  done")) << "an empty id is none";
  Pattern last("request.{req}");
  ASSERT_TRUE(last.Matches("request.5c2e"));
  EXPECT_EQ(last.captures.values[0].text, "5c2e");
  EXPECT_FALSE(last.Matches("request."));
}

TEST(TextPattern, AStarIsAnyTextUpToTheFirstPlace) {
  Pattern pattern("*.store*");
  EXPECT_TRUE(pattern.Matches("LMCacheEngine.store"));
  EXPECT_TRUE(pattern.Matches("A.store_all"));
  EXPECT_FALSE(pattern.Matches("LMCacheEngine.lookup"));
  Pattern first("*ab");
  EXPECT_TRUE(first.Matches("xab"));
  EXPECT_FALSE(first.Matches("abab")) << "the first place decides, there is no second try";
}

TEST(TextPattern, SaysWhatIsWrong) {
  EXPECT_NE(Pattern("a{nothing}").error.find("none of the vocabulary"), std::string::npos);
  EXPECT_NE(Pattern("a{iter").error.find("without }"), std::string::npos);
  EXPECT_NE(Pattern("**").error.find("ends"), std::string::npos);
  EXPECT_NE(Pattern("{req}{iter}").error.find("ends"), std::string::npos);
  EXPECT_NE(Pattern("{iter}{n}").error.find("beside"), std::string::npos);
  EXPECT_NE(Pattern("{iter} {iter}").error.find("twice"), std::string::npos);
  EXPECT_NE(Pattern("{flags}").error.find("number or a request's id"), std::string::npos);
  EXPECT_NE(Pattern("{n} {iter} {n_new} {blocks} {bytes} {used} {total}").error.find("six"), std::string::npos);
}

}  // namespace
}  // namespace slowtoken::rules
