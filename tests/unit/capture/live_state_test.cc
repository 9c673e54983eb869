// A trace cut to its last chunks can be read alone: who was in the batch stands at the head of each chunk.
#include <gmock/gmock.h>

#include <map>

#include "attribution/engine.h"
#include "recorded_trace.h"
#include "scripted_source.h"

namespace slowtoken::capture::testing {
namespace {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::BatchRow;
using record::RowKind;
using record::RowOp;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// What an engine concludes from a replay.
class Conclusions final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::IterationSummary& summary) override {
    known[summary.key.iter] = summary.batch_known;
    rows[summary.key.iter] = {summary.rows.begin(), summary.rows.end()};
  }
  void On(const record::RequestSummary& summary) override { iterations_of[summary.req] = summary.iterations; }

  std::map<uint64_t, bool> known;
  std::map<uint64_t, std::vector<BatchRow>> rows;
  std::map<record::RequestId, uint32_t> iterations_of;
};

class LiveStateTest : public ::testing::Test {
 protected:
  void Batch(uint64_t iter, uint64_t seq, bool is_set, std::vector<BatchRow> rows) {
    Annotation mark;
    mark.name = AnnotationName::kBatch;
    mark.batch_is_set = is_set;
    mark.start = mark.end = base::MonotonicNow();
    mark.Set(AnnotationField::kIterNo, iter);
    mark.Set(AnnotationField::kDpRank, 3);
    if (seq != 0) mark.Set(AnnotationField::kSeq, seq);
    source_.Add(mark, std::move(rows));
  }
  void Iteration(uint64_t iter) {
    Annotation range;
    range.name = AnnotationName::kIter;
    range.kind = record::AnnotationKind::kPushPop;
    range.start = base::MonotonicNow();
    range.end = range.start + 1000;
    range.thread = 1;
    range.Set(AnnotationField::kIterNo, iter);
    range.Set(AnnotationField::kDpRank, 3);
    source_.Add(range);
  }
  void Round() { trace_.pipeline().Round(); }

  Conclusions ReadFrom(size_t chunk) {
    const auto config = attribution::EngineConfig::InProcess();
    base::Arena arena;
    base::LossCounters losses;
    record::Dictionary dictionary;
    Conclusions out;
    attribution::Engine engine;
    EXPECT_TRUE(arena.Reserve(config.ArenaBytes() + (8u << 20), false) && dictionary.Init(arena, {}, losses) &&
                engine.Init(arena, config, dictionary, losses, out));
    trace_.ReplayFrom(chunk, engine);
    engine.Finish();
    arena.Release();
    return out;
  }

  ScriptedSource source_;
  RecordedTrace trace_{source_};
};

TEST_F(LiveStateTest, MembershipThatBeganInEarlierChunksIsKnownInTheLast) {
  Batch(1, 1, true, {{10, 100, RowKind::kPrefill, RowOp::kSet}});
  Round();
  Batch(3, 2, false, {{11, 64, RowKind::kChunk, RowOp::kJoin}, {12, 5, RowKind::kPrefill, RowOp::kJoin}});
  Round();
  Batch(5, 3, false, {{11, 7, RowKind::kPrefill, RowOp::kChange}, {10, 0, RowKind::kDecode, RowOp::kLeave}});
  Round();
  Iteration(5);
  Iteration(6);
  Round();
  Batch(7, 4, false, {{12, 0, RowKind::kDecode, RowOp::kLeave}});
  Iteration(7);
  Round();
  trace_.pipeline().LastRound(base::MonotonicNow());

  const Conclusions last = ReadFrom(3);
  const BatchRow eleven{11, 1, RowKind::kDecode, RowOp::kSet}, twelve{12, 1, RowKind::kDecode, RowOp::kSet};
  EXPECT_THAT(last.rows.at(5), UnorderedElementsAre(BatchRow{11, 7, RowKind::kPrefill, RowOp::kSet}, twelve));
  EXPECT_THAT(last.rows.at(6), UnorderedElementsAre(eleven, twelve));
  EXPECT_THAT(last.rows.at(7), ElementsAre(eleven));
  EXPECT_EQ(last.iterations_of.at(11), 3u);
  EXPECT_EQ(last.iterations_of.at(12), 2u);
  EXPECT_EQ(last.iterations_of.count(10), 0u);
  EXPECT_EQ(last.rows, ReadFrom(0).rows) << "the cut trace says of these iterations what the whole one says";
}

TEST_F(LiveStateTest, AnEmptyBatchIsKnownToBeEmpty) {
  Batch(1, 1, true, {{10, 1, RowKind::kDecode, RowOp::kSet}});
  Batch(2, 2, false, {{10, 0, RowKind::kDecode, RowOp::kLeave}});
  Round();
  Iteration(2);
  Round();
  trace_.pipeline().LastRound(base::MonotonicNow());
  const Conclusions last = ReadFrom(1);
  EXPECT_THAT(last.rows.at(2), IsEmpty());
  EXPECT_TRUE(last.known.at(2));
}

TEST_F(LiveStateTest, WhatALostMarkMadeUnknownIsNotTold) {
  Batch(1, 1, true, {{10, 1, RowKind::kDecode, RowOp::kSet}});
  Batch(2, 3, false, {{11, 1, RowKind::kDecode, RowOp::kJoin}});
  Round();
  Iteration(3);
  Round();
  Batch(4, 4, true, {{12, 1, RowKind::kDecode, RowOp::kSet}});
  Round();
  Iteration(4);
  Round();
  trace_.pipeline().LastRound(base::MonotonicNow());
  EXPECT_FALSE(ReadFrom(1).known.at(3));
  EXPECT_THAT(ReadFrom(3).rows.at(4), ElementsAre(BatchRow{12, 1, RowKind::kDecode, RowOp::kSet}));
}

TEST_F(LiveStateTest, MarksWithoutSeqAreKeptToo) {
  Batch(1, 0, true, {{10, 1, RowKind::kDecode, RowOp::kSet}});
  Round();
  Iteration(1);
  Batch(2, 0, false, {{11, 8, RowKind::kVerify, RowOp::kJoin}});
  Iteration(2);
  Round();
  trace_.pipeline().LastRound(base::MonotonicNow());
  const Conclusions last = ReadFrom(1);
  EXPECT_THAT(last.rows.at(1), ElementsAre(BatchRow{10, 1, RowKind::kDecode, RowOp::kSet}));
  EXPECT_THAT(last.rows.at(2), UnorderedElementsAre(BatchRow{10, 1, RowKind::kDecode, RowOp::kSet},
                                                    BatchRow{11, 8, RowKind::kVerify, RowOp::kSet}));
}

// A round with more than a chunk holds goes on in the next chunk, which says as much about the batch as any other.
TEST_F(LiveStateTest, AContinuationKnowsTheMembershipToo) {
  Batch(1, 1, true, {{10, 1, RowKind::kDecode, RowOp::kSet}});
  for (uint64_t iter = 1; iter <= 150'000; ++iter) Iteration(iter);
  Round();
  trace_.pipeline().LastRound(base::MonotonicNow());
  ASSERT_GT(trace_.Chunks(), 3u);
  class Batches final : public record::EventVisitor {
   public:
    void On(const Annotation& annotation) override { seen += annotation.name == AnnotationName::kBatch; }
    int seen = 0;
  } batches;
  trace_.ReplayFrom(1, batches);
  EXPECT_EQ(batches.seen, 1);
}

}  // namespace
}  // namespace slowtoken::capture::testing
