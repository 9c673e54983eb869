#include "record/annotation.h"

#include <gtest/gtest.h>

#include "record/phases.h"

namespace slowtoken::record {
namespace {

TEST(Annotation, FieldsAreAbsentUntilSet) {
  Annotation a;
  EXPECT_FALSE(a.Has(AnnotationField::kN));
  EXPECT_EQ(a.Get(AnnotationField::kN, 7), 7u);
  a.Set(AnnotationField::kN, 0);
  EXPECT_TRUE(a.Has(AnnotationField::kN));
  EXPECT_EQ(a.Get(AnnotationField::kN, 7), 0u);
}

TEST(Annotation, AbsentEngineAndRankAreZero) {
  Annotation a;
  a.Set(AnnotationField::kIterNo, 12);
  EXPECT_EQ(a.iteration(), (IterationKey{12, 0, 0}));
  a.Set(AnnotationField::kDpRank, 3);
  EXPECT_EQ(a.iteration(), (IterationKey{12, 0, 3}));
}

TEST(Phases, NamesAreTheContracts) {
  EXPECT_STREQ(kTtftPhaseNames[static_cast<size_t>(TtftPhase::kPrefillWait)], "prefill_wait");
  EXPECT_STREQ(kGapPhaseNames[static_cast<size_t>(GapPhase::kPrefillInterference)], "prefill_interference");
  EXPECT_EQ(kTtftPhaseCount, 14u);
  EXPECT_STREQ(kTtftPhaseNames[kTtftPhaseCount - 1], "unattributed");
  EXPECT_STREQ(kGapPhaseNames[kGapPhaseCount - 1], "unattributed");
}

TEST(Annotation, IterationRangesAreIterAndItsParts) {
  for (size_t i = 0; i < std::size(kAnnotationTexts); ++i) {
    const std::string_view text = kAnnotationTexts[i];
    EXPECT_EQ(IsIterationRange(static_cast<AnnotationName>(i)), text == "iter" || text.starts_with("iter.")) << text;
  }
}

}  // namespace
}  // namespace slowtoken::record
