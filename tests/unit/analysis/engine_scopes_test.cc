#include "analysis/engine_scopes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../times.h"
#include "analysis/scoped_events.h"

namespace slowtoken::analysis {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::RowKind;
using record::RowOp;
using record::TimeNs;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Annotation Keyed(AnnotationName name, uint64_t iter, TimeNs start, uint32_t engine = 0) {
  Annotation annotation;
  annotation.name = name;
  annotation.start = annotation.end = start;
  annotation.Set(AnnotationField::kIterNo, iter);
  if (engine != 0) annotation.Set(AnnotationField::kEngine, engine);
  return annotation;
}

// What one process says of ten iterations from `base` on.
class Process {
 public:
  Process& Ranges(AnnotationName name, TimeNs base, uint32_t engine = 0, uint64_t first = 1) {
    for (uint64_t i = 0; i < 10; ++i) survey_.On(Keyed(name, first + i, base + i * 10 * kMs, engine));
    return *this;
  }
  Process& Batches(TimeNs base, record::RequestId req, uint32_t engine = 0, uint64_t first = 1) {
    for (uint64_t i = 0; i < 10; ++i) {
      Annotation batch = Keyed(AnnotationName::kBatch, first + i, base + i * 10 * kMs, engine);
      const record::BatchRow rows[] = {{req, 1, RowKind::kDecode, RowOp::kSet}};
      batch.rows = rows;
      survey_.On(batch);
    }
    return *this;
  }
  operator IterationSurvey() const { return survey_; }

 private:
  IterationSurvey survey_;
};

uint64_t EngineOf(EngineScopes& scopes, record::ProcessIndex process, uint32_t engine = 0) {
  Annotation range = Keyed(AnnotationName::kIter, 5, kSecond, engine);
  range.process = process;
  std::vector<record::BatchRow> rows;
  return scopes.Scoped(range, rows).iteration().engine;
}

TEST(EngineScopes, ASplitEngineIsOneEngine) {
  // A frontend without iterations, a scheduler, two tensor-parallel workers.
  EngineScopes scopes({IterationSurvey(), Process().Batches(kSecond, 7).Ranges(AnnotationName::kIterSchedule, kSecond),
                       Process().Ranges(AnnotationName::kIter, kSecond + 3 * kMs),
                       Process().Ranges(AnnotationName::kIter, kSecond + 4 * kMs)});
  EXPECT_FALSE(scopes.any());
  EXPECT_FALSE(scopes.ambiguous());
}

TEST(EngineScopes, RanksThatSayTheSameOfEachBatchAreOneEngine) {
  EngineScopes scopes({Process().Batches(kSecond, 7), Process().Batches(kSecond + kMs, 7)});
  EXPECT_FALSE(scopes.any());
}

TEST(EngineScopes, ReplicasAtTheSameTimeHaveDifferentBatches) {
  EngineScopes scopes({Process().Batches(kSecond, 7), Process().Batches(kSecond + kMs, 8)});
  EXPECT_TRUE(scopes.any());
  EXPECT_EQ(EngineOf(scopes, 0), 0u);
  EXPECT_EQ(EngineOf(scopes, 1), 1u);
  ASSERT_THAT(scopes.Lines({"a 1", "b 2"}), SizeIs(1));
  EXPECT_THAT(scopes.Lines({"a 1", "b 2"})[0],
              HasSubstr("2 engines call themselves engine 0, dp_rank 0 (replicas, or a restart): kept apart, a 1 as "
                        "engine 0, b 2 as engine 1; let each replica set `engine`"));
}

TEST(EngineScopes, ARestartedServerRepeatsItsNumbersLater) {
  // Without batches, by time alone; engine 3 is taken already.
  EngineScopes scopes({Process().Ranges(AnnotationName::kIter, kSecond),
                       Process().Ranges(AnnotationName::kIter, 60 * kSecond),
                       Process().Ranges(AnnotationName::kIter, kSecond, 3)});
  EXPECT_TRUE(scopes.any());
  EXPECT_EQ(EngineOf(scopes, 0), 0u);
  EXPECT_EQ(EngineOf(scopes, 1), 4u);
  EXPECT_EQ(EngineOf(scopes, 2, 3), 3u);
  EXPECT_FALSE(scopes.ambiguous());
}

TEST(EngineScopes, SchedulersWithoutANumberInCommonAreTwo) {
  EngineScopes scopes({Process().Batches(kSecond, 7, 0, 1), Process().Batches(kSecond, 8, 0, 5000)});
  EXPECT_TRUE(scopes.any());
}

TEST(EngineScopes, EachReplicasWorkerFindsItsScheduler) {
  // Workers come first in the order of names; the second replica started five seconds later.
  EngineScopes scopes({Process().Ranges(AnnotationName::kIter, 6 * kSecond + kMs),
                       Process().Ranges(AnnotationName::kIter, kSecond + kMs), Process().Batches(kSecond, 7),
                       Process().Batches(6 * kSecond, 8)});
  EXPECT_TRUE(scopes.any());
  EXPECT_FALSE(scopes.ambiguous());
  EXPECT_EQ(EngineOf(scopes, 2), EngineOf(scopes, 1));
  EXPECT_EQ(EngineOf(scopes, 3), EngineOf(scopes, 0));
  EXPECT_NE(EngineOf(scopes, 2), EngineOf(scopes, 3));
}

TEST(EngineScopes, AWorkerThatFitsToBothReplicasIsAGuess) {
  EngineScopes scopes({Process().Batches(kSecond, 7), Process().Batches(kSecond + 20 * kMs, 8),
                       Process().Ranges(AnnotationName::kIter, kSecond + 18 * kMs)});
  EXPECT_TRUE(scopes.ambiguous());
  EXPECT_EQ(EngineOf(scopes, 2), EngineOf(scopes, 1)) << "the nearest in time";
}

TEST(EngineScopes, ARequestIdThatTwoReplicasUseIsTwoRequests) {
  EngineScopes scopes({Process().Batches(kSecond, 7), Process().Batches(9 * kSecond, 7), IterationSurvey()});
  ASSERT_TRUE(scopes.any());
  EXPECT_EQ(scopes.Scoped(7, 0), 7u);
  const record::RequestId other = scopes.Scoped(7, 1);
  EXPECT_NE(other, 7u);
  EXPECT_EQ(scopes.Scoped(7, 1), other);
  EXPECT_EQ(scopes.Scoped(9, 1), 9u) << "used by one of them only";
  EXPECT_EQ(scopes.Scoped(7, 2), 7u) << "a frontend takes no side";
}

// Hands on what it gets, scoped.
class Seen final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const Annotation& annotation) override {
    engine = annotation.iteration().engine;
    rows.assign(annotation.rows.begin(), annotation.rows.end());
  }
  void On(const record::Kernel&) override { ++kernels; }
  void On(const record::Advance&) override { ++advances; }
  void On(const record::RequestIdText& text) override { texts.push_back(text.req); }
  uint64_t engine = 0;
  std::vector<record::BatchRow> rows;
  std::vector<record::RequestId> texts;
  int kernels = 0, advances = 0;
};

TEST(ScopedEvents, RowsAndClearIdsGoWithTheirRequest) {
  EngineScopes scopes({Process().Batches(kSecond, 7), Process().Batches(9 * kSecond, 7)});
  Seen seen;
  ScopedEvents scoped(scopes, seen);
  record::EventVisitor& in = scoped;
  Annotation batch = Keyed(AnnotationName::kBatch, 3, kSecond);
  const record::BatchRow rows[] = {{7, 1, RowKind::kDecode, RowOp::kSet}};
  batch.rows = rows;
  in.On(batch);
  EXPECT_EQ(seen.rows[0].req, 7u);
  batch.process = 1;
  in.On(batch);
  EXPECT_EQ(seen.engine, 1u);
  EXPECT_EQ(seen.rows[0].req, scopes.Scoped(7, 1));
  in.On(record::RequestIdText{7, "A", 1});
  EXPECT_EQ(seen.texts[0], scopes.Scoped(7, 1));
  in.On(record::Kernel{});
  in.On(record::Advance{});
  EXPECT_EQ(seen.kernels + seen.advances, 2);
}

}  // namespace
}  // namespace slowtoken::analysis
