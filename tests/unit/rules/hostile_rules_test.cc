// Patterns and packs made to cost time or room.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rules/rule_pack.h"

namespace slowtoken::rules {
namespace {

using record::AnnotationKind;

// With backtracking this takes longer than anybody waits: 40 stars over a text that fits all but the end.
TEST(HostileRules, StarsDoNotBacktrack) {
  std::string pack = "pack p 1\nrule range \"";
  for (int i = 0; i < 40; ++i) pack += "*a";
  pack += "b\" iter.forward\n";
  const auto rules = std::make_unique<RangeRules>();
  ASSERT_EQ(ReadRulePack(pack, *rules), 0u);
  const std::string text(4096, 'a');
  Captures captures;
  EXPECT_EQ(rules->FindByName("", text, AnnotationKind::kPushPop, captures), nullptr);
}

TEST(HostileRules, TooManyAreLeftOut) {
  std::string pack = "pack p 1\n";
  for (int i = 0; i < 300; ++i) pack += "rule range \"t" + std::to_string(i) + "\" iter.forward\n";
  const auto rules = std::make_unique<RangeRules>();
  EXPECT_EQ(ReadRulePack(pack, *rules), 300 - RangeRules::kMostRules);
  Captures captures;
  EXPECT_NE(rules->FindByName("", "t255", AnnotationKind::kPushPop, captures), nullptr);
  EXPECT_EQ(rules->FindByName("", "t256", AnnotationKind::kPushPop, captures), nullptr);
}

TEST(HostileRules, PartsThatFindNoRoomLeaveTheRestWhole) {
  std::string pack = "pack p 1\n";
  for (int i = 0; i < 30; ++i) {
    pack += "rule range \"";
    for (int j = 0; j < 30; ++j) pack += "*" + std::to_string(i) + "-";
    pack += "\" iter.forward\n";
  }
  pack += "rule range last iter.forward\n";
  const auto rules = std::make_unique<RangeRules>();
  EXPECT_GT(ReadRulePack(pack, *rules), 0u);
  Captures captures;
  EXPECT_NE(rules->FindByName("", "last", AnnotationKind::kPushPop, captures), nullptr)
      << "a rule that did not fit takes no room";
}

TEST(HostileRules, BytesOfAnyKind) {
  using namespace std::string_literals;
  const std::string pack = "pack p 1\nrule range \"\xff\0\x01\" iter.forward\n"s;
  const auto rules = std::make_unique<RangeRules>();
  ReadRulePack(pack, *rules);
  Captures captures;
  EXPECT_EQ(rules->FindByName("", std::string_view("\xff\0\x02", 3), AnnotationKind::kPushPop, captures), nullptr);
  EXPECT_FALSE(rules->May(0, "", std::string_view("\0", 1)));
}

}  // namespace
}  // namespace slowtoken::rules
