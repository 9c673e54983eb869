// How many requests an iteration computes for: by the batch, else by what `iter` itself tells.
#include <gmock/gmock.h>

#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;

class IterationCounts : public ::testing::Test {
 protected:
  Annotation Iter(uint64_t iter, record::TimeNs start) {
    Annotation a;
    a.name = AnnotationName::kIter;
    a.kind = record::AnnotationKind::kPushPop;
    a.start = start;
    a.end = start + kMs;
    a.thread = a.end_thread = 1;
    a.Set(AnnotationField::kIterNo, iter);
    return a;
  }

  Bench bench_;
  Scene scene_{bench_};
};

TEST_F(IterationCounts, WithoutABatchTheyAreWhatIterTells) {
  Annotation mixed = Iter(1, kSecond), silent = Iter(2, 2 * kSecond);
  mixed.Set(AnnotationField::kNPrefill, 9);
  mixed.Set(AnnotationField::kNDecode, 37);
  mixed.Set(AnnotationField::kPrefillTok, 8155);
  scene_.Add(mixed);
  scene_.Add(silent);
  scene_.Play();
  const auto& iterations = bench_.out().iterations;
  ASSERT_EQ(iterations.size(), 2u);
  EXPECT_TRUE(iterations[0].summary.has_counts());
  EXPECT_FALSE(iterations[0].summary.batch_known);
  EXPECT_EQ(iterations[0].summary.prefill_rows, 9u);
  EXPECT_EQ(iterations[0].summary.decode_rows, 37u);
  EXPECT_EQ(iterations[0].summary.prefill_tokens, 8155u);
  EXPECT_FALSE(iterations[1].summary.has_counts());
}

TEST_F(IterationCounts, ABatchCountsMore) {
  Annotation iter = Iter(1, kSecond);
  iter.Set(AnnotationField::kNDecode, 37);
  scene_.Add(iter);
  scene_.Batch(1, kSecond + 1, true, {{5, 100, record::RowKind::kPrefill, record::RowOp::kSet}});
  scene_.Play();
  const auto& iterations = bench_.out().iterations;
  ASSERT_EQ(iterations.size(), 1u);
  EXPECT_TRUE(iterations[0].summary.batch_known);
  EXPECT_EQ(iterations[0].summary.prefill_rows, 1u);
  EXPECT_EQ(iterations[0].summary.decode_rows, 0u);
  EXPECT_EQ(iterations[0].summary.prefill_tokens, 100u);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
