// Which iteration the ranges of an engine belong to that does not say: counted, kept, promised.
#include "rules/iteration_numbers.h"

#include <gtest/gtest.h>

namespace slowtoken::rules {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;

constexpr uint32_t kEngine = 0x8000'0001;

class IterationNumbersTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(arena_.Reserve(1u << 20, false));
    ASSERT_TRUE(numbers_.Init(arena_, 4, kEngine));
  }

  static RangeRule Rule(AnnotationName name, Numbering numbering = Numbering::kNone) {
    RangeRule rule;
    rule.name = name;
    rule.numbering = numbering;
    return rule;
  }

  // The iteration that a range gets; 0 = the rule does not count.
  uint64_t Number(AnnotationName name, Numbering numbering, uint32_t thread = 0) {
    Annotation range;
    if (!numbers_.Apply(thread, Rule(name, numbering), range)) return 0;
    EXPECT_EQ(range.Get(AnnotationField::kEngine), kEngine) << "counted numbers go with the process";
    return range.Get(AnnotationField::kIterNo);
  }
  uint64_t Begin(uint32_t thread = 0) { return Number(AnnotationName::kIter, Numbering::kNew, thread); }
  uint64_t Part(uint32_t thread = 0) { return Number(AnnotationName::kIterForward, Numbering::kThis, thread); }
  uint64_t Before(uint32_t thread = 0) { return Number(AnnotationName::kIterSchedule, Numbering::kNext, thread); }

  // An iteration whose number the engine says.
  void Said(uint64_t iter) {
    Annotation range;
    range.Set(AnnotationField::kIterNo, iter);
    ASSERT_TRUE(numbers_.Apply(0, Rule(AnnotationName::kIter), range));
    EXPECT_EQ(range.Get(AnnotationField::kIterNo), iter);
    EXPECT_FALSE(range.Has(AnnotationField::kEngine)) << "its ranks say the same number: they are joined";
  }

  base::Arena arena_;
  IterationNumbers numbers_;
};

TEST_F(IterationNumbersTest, CountsAndKeepsPartsWithTheirIteration) {
  EXPECT_EQ(Begin(), 1u);
  EXPECT_EQ(Part(), 1u);
  EXPECT_EQ(Before(), 2u) << "scheduled ahead";
  EXPECT_EQ(Part(), 1u);
  EXPECT_EQ(Begin(), 2u) << "as promised";
  EXPECT_EQ(Begin(), 3u);
}

TEST_F(IterationNumbersTest, NothingBelongsToAnIterationBeforeTheFirst) {
  EXPECT_EQ(Part(), 0u);
  EXPECT_EQ(Before(), 0u) << "a scheduler whose iterations are another process's";
}

TEST_F(IterationNumbersTest, ThreadsCountTogetherAndPromiseApart) {
  EXPECT_EQ(Begin(0), 1u);
  EXPECT_EQ(Before(0), 2u);
  EXPECT_EQ(Begin(1), 3u);
  EXPECT_EQ(Begin(0), 2u);
  EXPECT_EQ(Part(1), 3u);
  numbers_.Restart(1);
  EXPECT_EQ(Part(1), 0u) << "the place is another thread's now";
}

TEST_F(IterationNumbersTest, APartBeginsAnIterationOnlyWhereNoneIsAroundIt) {
  const auto prepare = [&] { return Number(AnnotationName::kIterPrepare, Numbering::kNew); };
  EXPECT_EQ(prepare(), 1u);
  EXPECT_EQ(prepare(), 2u);
  EXPECT_EQ(Begin(), 3u);
  numbers_.Opened(0, AnnotationName::kIter);
  EXPECT_EQ(prepare(), 3u);
  numbers_.Ended(0, AnnotationName::kIter);
  EXPECT_EQ(prepare(), 4u);
}

TEST_F(IterationNumbersTest, NumbersThatTheEngineSaysAreKept) {
  Said(81);
  Annotation range;
  ASSERT_TRUE(numbers_.Apply(0, Rule(AnnotationName::kIterSample, Numbering::kThis), range));
  EXPECT_EQ(range.iteration(), (record::IterationKey{81, 0, 0}));
  Annotation next;
  ASSERT_TRUE(numbers_.Apply(0, Rule(AnnotationName::kIterSchedule, Numbering::kNext), next));
  EXPECT_EQ(next.iteration(), (record::IterationKey{82, 0, 0}));
}

TEST_F(IterationNumbersTest, AnEngineThatSaysItsIterationsItselfIsBelieved) {
  numbers_.SawOwnIterations();
  EXPECT_EQ(Begin(), 0u) << "a second iteration around the same work";
  Annotation part;
  EXPECT_TRUE(numbers_.Apply(0, Rule(AnnotationName::kIterForward, Numbering::kThis), part));
  EXPECT_FALSE(part.Has(AnnotationField::kIterNo)) << "it belongs to the range around it";
}

TEST_F(IterationNumbersTest, OtherWorkHasNoNumber) {
  Annotation range;
  EXPECT_TRUE(numbers_.Apply(0, Rule(AnnotationName::kKvSend), range));
  EXPECT_FALSE(range.Has(AnnotationField::kIterNo));
}

}  // namespace
}  // namespace slowtoken::rules
