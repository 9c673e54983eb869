// Reading a rule pack: every directive, and every way to get one wrong, with its line.
#include "rules/rule_pack.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace slowtoken::rules {
namespace {

using record::AnnotationKind;
using record::AnnotationName;

// What a pack is read to.
class Pack {
 public:
  explicit Pack(std::string text) : text_(std::move(text)) {
    PackListener listener{.self = this};
    listener.on_error = [](void* self, unsigned line, const char* what) {
      static_cast<Pack*>(self)->errors.push_back(std::to_string(line) + ": " + what);
    };
    listener.on_example = [](void* self, unsigned, size_t, std::string_view said, std::string_view meaning) {
      static_cast<Pack*>(self)->examples.emplace_back(std::string(said) + " = " + std::string(meaning));
    };
    wrong = ReadRulePack(text_, rules, listener);
  }

  const RangeRule* Meant(std::string_view domain, std::string_view text,
                         AnnotationKind kind = AnnotationKind::kPushPop) {
    return rules.FindByName(domain, text, kind, captures);
  }

  RangeRules rules;
  Captures captures;
  std::vector<std::string> errors, examples;
  unsigned wrong = 0;

 private:
  std::string text_;
};

TEST(RulePack, ReadsRulesTitlesAndExamples) {
  Pack pack(
      "# mine\n"
      "pack mine 3\n"
      "title \"my server\"\n"
      "\n"
      "rule push-pop \"step {iter}\" iter domain=Mine\n"
      "  example \"step 4\" iter|iter=4\n"
      "\trule mark \"first {req}\" req.token known main-thread\r\n");
  EXPECT_EQ(pack.errors, std::vector<std::string>{});
  ASSERT_EQ(pack.rules.size(), 2u);
  EXPECT_EQ(pack.rules.pack(0).name, "mine");
  EXPECT_EQ(pack.rules.pack(0).version, "3");
  ASSERT_EQ(pack.rules.pack(0).title_count, 1u);
  EXPECT_EQ(pack.rules.pack(0).titles[0], "my server");
  EXPECT_EQ(pack.rules[0].name, AnnotationName::kIter);
  EXPECT_EQ(pack.rules[0].domain, "Mine");
  EXPECT_FALSE(pack.rules[0].needs_known);
  EXPECT_EQ(pack.rules[1].name, AnnotationName::kReqToken);
  EXPECT_TRUE(pack.rules[1].needs_known && pack.rules[1].main_thread);
  EXPECT_EQ(pack.examples, std::vector<std::string>{"step 4 = iter|iter=4"});
}

TEST(RulePack, DomainAndKindMustFit) {
  Pack pack(
      "pack p 1\n"
      "rule push-pop a iter.forward\n"
      "rule range b kv.recv domain=D\n"
      "rule start-end c kv.send domain=*\n");
  ASSERT_EQ(pack.wrong, 0u);
  EXPECT_NE(pack.Meant("", "a"), nullptr);
  EXPECT_EQ(pack.Meant("D", "a"), nullptr) << "without a domain a rule is for the default one";
  EXPECT_EQ(pack.Meant("", "a", AnnotationKind::kStartEnd), nullptr);
  EXPECT_EQ(pack.Meant("", "b"), nullptr);
  EXPECT_NE(pack.Meant("d", "b"), nullptr) << "as bindings differ in case";
  EXPECT_NE(pack.Meant("D", "b", AnnotationKind::kStartEnd), nullptr);
  EXPECT_EQ(pack.Meant("D", "b", AnnotationKind::kMark), nullptr);
  EXPECT_NE(pack.Meant("agent-7", "c", AnnotationKind::kStartEnd), nullptr);
  EXPECT_NE(pack.Meant("", "c", AnnotationKind::kStartEnd), nullptr);
}

TEST(RulePack, TheFirstRuleThatFitsCounts) {
  Pack pack("pack p 1\nrule range \"a*\" iter.draft\nrule range ab iter.forward\n");
  const RangeRule* rule = pack.Meant("", "ab");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->name, AnnotationName::kIterDraft);
}

TEST(RulePack, LearntDomainsGiveTheSameAnswers) {
  Pack pack("pack p 1\nrule push-pop \"step {iter}\" iter domain=Mine\nrule push-pop step iter iter=new\n");
  Captures captures;
  EXPECT_FALSE(pack.rules.May(3, "Other", "step 4"));
  EXPECT_FALSE(pack.rules.May(4, "Mine", "x"));
  ASSERT_TRUE(pack.rules.May(4, "Mine", "step 4"));
  EXPECT_NE(pack.rules.Find(4, "step 4", AnnotationKind::kPushPop, captures), nullptr);
  EXPECT_EQ(pack.rules.Find(4, "step", AnnotationKind::kPushPop, captures), nullptr);
  ASSERT_TRUE(pack.rules.May(0, "", "step"));
  EXPECT_NE(pack.rules.Find(0, "step", AnnotationKind::kPushPop, captures), nullptr);
  EXPECT_FALSE(pack.rules.May(0, "", ""));
  EXPECT_FALSE(pack.rules.May(500, "Mine", "step 4")) << "a domain beyond those that are numbered";
}

// Each wrong line, alone in a pack.
struct Wrong {
  const char* line;
  const char* says;
};

class WrongLine : public testing::TestWithParam<Wrong> {};

TEST_P(WrongLine, IsNamedAndLeftOut) {
  Pack pack(std::string("pack p 1\nrule push-pop good iter.forward\n") + GetParam().line +
            "\nrule push-pop fine iter.sample\n");
  ASSERT_EQ(pack.errors.size(), 1u) << GetParam().line;
  EXPECT_EQ(pack.errors[0].substr(0, 3), "3: ");
  EXPECT_NE(pack.errors[0].find(GetParam().says), std::string::npos) << pack.errors[0];
  EXPECT_EQ(pack.wrong, 1u);
  EXPECT_EQ(pack.rules.size(), 2u) << "the others are read";
}

INSTANTIATE_TEST_SUITE_P(
    RulePack, WrongLine,
    testing::Values(Wrong{"rules push-pop x iter", "a line begins with"}, Wrong{"pack q 2", "a second pack"},
                    Wrong{"title", "a title is"}, Wrong{"rule push-pop x", "a rule is"},
                    Wrong{"rule push \"x\" iter.forward", "a kind is"},
                    Wrong{"rule push-pop \"x iter.forward", "a rule is"},
                    Wrong{"rule push-pop x iter.forwards", "not of the vocabulary"},
                    Wrong{"rule push-pop x iter.forward iter=old", "an option is"},
                    Wrong{"rule push-pop x iter.forward \"known", "quotation mark"},
                    Wrong{"rule push-pop \"\" iter.forward", "an empty text"},
                    Wrong{"rule push-pop \"x{a}\" iter.forward", "none of the vocabulary"},
                    Wrong{"rule push-pop x iter", "needs an {iter}, or iter=new"},
                    Wrong{"rule push-pop \"x{iter}\" iter iter=new", "exclude each other"},
                    Wrong{"rule push-pop x req", "needs a {req}"}, Wrong{"rule push-pop \"x{req}\" req.token", "kind"},
                    Wrong{"rule mark x iter.forward", "kind"}, Wrong{"rule mark x batch", "more than a text can give"},
                    Wrong{"rule push-pop x kv.send iter=this", "iter= is for"}, Wrong{"example x", "an example is"}));

TEST(RulePack, NeedsItsFirstLine) {
  EXPECT_EQ(Pack("").errors, std::vector<std::string>{"0: no pack: the first line must be `pack NAME VERSION`"});
  Pack pack("rule push-pop x iter.forward\n");
  ASSERT_EQ(pack.errors.size(), 2u);
  EXPECT_EQ(pack.rules.size(), 0u);
  EXPECT_EQ(Pack("\xef\xbb\xbfpack p 1").wrong, 0u) << "an editor's byte order mark";
}

TEST(RulePack, AnExampleBelongsToARule) {
  Pack pack("pack p 1\nexample a iter.forward\nrule push a iter.forward\n  example a iter.forward\n");
  ASSERT_EQ(pack.errors.size(), 2u) << "the second example says nothing new: its rule is wrong";
  EXPECT_NE(pack.errors[0].find("without a rule"), std::string::npos);
  EXPECT_TRUE(pack.examples.empty());
}

}  // namespace
}  // namespace slowtoken::rules
