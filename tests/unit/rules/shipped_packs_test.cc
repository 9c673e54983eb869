// The packs that come with slowtoken: every line is understood, every rule has an example, every example holds.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rules/clear_texts.h"
#include "rules/rule_example.h"
#include "rules/rule_pack.h"

namespace slowtoken::rules {
namespace {

struct Example {
  size_t rule;
  unsigned line;
  std::string text, meaning;
};

class ShippedPacks : public testing::Test {
 protected:
  ShippedPacks() {
    PackListener listener{.self = this};
    listener.on_error = [](void* self, unsigned line, const char* what) {
      static_cast<ShippedPacks*>(self)->errors_.push_back(std::to_string(line) + ": " + what);
    };
    listener.on_example = [](void* self, unsigned line, size_t rule, std::string_view text, std::string_view meaning) {
      static_cast<ShippedPacks*>(self)->examples_.push_back({rule, line, std::string(text), std::string(meaning)});
    };
    for (const std::string_view pack : rules::ShippedPacks()) ReadRulePack(pack, *rules_, listener);
  }

  std::unique_ptr<RangeRules> rules_ = std::make_unique<RangeRules>();
  std::vector<std::string> errors_;
  std::vector<Example> examples_;
};

TEST_F(ShippedPacks, HaveNoWrongLine) { EXPECT_EQ(errors_, std::vector<std::string>{}); }

TEST_F(ShippedPacks, EveryRuleHasAnExampleAndEveryExampleHolds) {
  std::set<size_t> shown;
  for (const Example& example : examples_) {
    shown.insert(example.rule);
    const char* wrong = CheckExample(*rules_, example.rule, example.text, example.meaning);
    EXPECT_EQ(wrong, nullptr) << rules_->pack((*rules_)[example.rule].pack).name << ":" << example.line << ": "
                              << example.text << ": " << wrong;
  }
  EXPECT_EQ(shown.size(), rules_->size());
  EXPECT_GT(rules_->size(), 40u);
}

// What they read in the default domain stays readable where no rule applies (an older slowtoken, own iterations).
TEST_F(ShippedPacks, SayNothingInTheDefaultDomainThatTheTraceWouldHide) {
  for (const Example& example : examples_) {
    if ((*rules_)[example.rule].domain.empty()) {
      EXPECT_TRUE(IsClearText(example.text)) << example.text;
    }
  }
}

TEST_F(ShippedPacks, LeaveRoomForTheUsersOwn) {
  EXPECT_LE(rules_->size(), RangeRules::kMostRules / 2);
  EXPECT_LE(rules_->pack_count(), RangeRules::kMostPacks / 2);
}

}  // namespace
}  // namespace slowtoken::rules
