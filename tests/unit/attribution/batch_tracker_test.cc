// Batch membership from marks: members stay until they leave, a prefill row becomes a decode row, a lost mark makes the
// batch unknown until the next set.
#include "attribution/batch_tracker.h"

#include <gmock/gmock.h>

#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::RowKind;
using record::RowOp;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Knowledge = BatchTracker::Knowledge;

class BatchTrackerTest : public ::testing::Test {
 protected:
  BatchTrackerTest() {
    EXPECT_TRUE(arena_.Reserve(4 << 20, false));
    EXPECT_TRUE(tracker_.Init(arena_, 4, 64, 32, 256, losses_));
  }
  ~BatchTrackerTest() override { arena_.Release(); }

  void Mark(uint64_t iter, record::TimeNs at, bool is_set, const std::vector<record::BatchRow>& rows,
            std::optional<uint64_t> seq = {}, uint32_t dp_rank = 0) {
    record::Annotation a;
    a.name = record::AnnotationName::kBatch;
    a.start = a.end = at;
    a.batch_is_set = is_set;
    a.rows = rows;
    a.Set(record::AnnotationField::kIterNo, iter);
    if (seq) a.Set(record::AnnotationField::kSeq, *seq);
    if (dp_rank != 0) a.Set(record::AnnotationField::kDpRank, dp_rank);
    tracker_.Add(a);
  }
  std::vector<record::BatchRow> Rows(uint64_t iter, uint32_t dp_rank = 0) {
    std::vector<record::BatchRow> rows;
    tracker_.ForEachRow({iter, 0, dp_rank}, [&](const record::BatchRow& row) { rows.push_back(row); });
    return rows;
  }
  Knowledge Known(uint64_t iter) { return tracker_.Known({iter, 0, 0}); }

  base::Arena arena_;
  base::LossCounters losses_;
  BatchTracker tracker_;
};

TEST_F(BatchTrackerTest, PrefillRowDecodesAfterItsIteration) {
  Mark(5, 100, true, {Row(1, 80, RowKind::kPrefill)});
  tracker_.ApplyUntil(100);
  EXPECT_THAT(Rows(5), ElementsAre(Row(1, 80, RowKind::kPrefill)));
  EXPECT_THAT(Rows(6), ElementsAre(Row(1, 1, RowKind::kDecode)));
  EXPECT_THAT(Rows(90), ElementsAre(Row(1, 1, RowKind::kDecode)));
}

TEST_F(BatchTrackerTest, OtherRowsStayAsTheyAre) {
  Mark(5, 100, true, {Row(1, 80, RowKind::kChunk), Row(2, 4, RowKind::kVerify), Row(3, 1, RowKind::kDecode)});
  tracker_.ApplyUntil(100);
  EXPECT_EQ(Rows(5), Rows(7));
}

TEST_F(BatchTrackerTest, JoinLeaveAndChange) {
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode), Row(2, 64, RowKind::kChunk)});
  Mark(2, 200, false,
       {Row(3, 9, RowKind::kPrefill, RowOp::kJoin), Row(1, 0, RowKind::kDecode, RowOp::kLeave),
        Row(2, 16, RowKind::kPrefill, RowOp::kChange)});
  tracker_.ApplyUntil(200);
  EXPECT_THAT(Rows(1), UnorderedElementsAre(Row(1, 1, RowKind::kDecode), Row(2, 64, RowKind::kChunk)));
  EXPECT_THAT(Rows(2), UnorderedElementsAre(Row(3, 9, RowKind::kPrefill), Row(2, 16, RowKind::kPrefill)));
  EXPECT_THAT(Rows(3), UnorderedElementsAre(Row(3, 1, RowKind::kDecode), Row(2, 1, RowKind::kDecode)));
}

TEST_F(BatchTrackerTest, SetReplacesEverybody) {
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode), Row(2, 1, RowKind::kDecode)});
  Mark(4, 200, true, {Row(2, 1, RowKind::kDecode)});
  Mark(6, 300, true, {});
  tracker_.ApplyUntil(300);
  EXPECT_EQ(Rows(3).size(), 2u);
  EXPECT_THAT(Rows(4), ElementsAre(Row(2, 1, RowKind::kDecode)));
  EXPECT_THAT(Rows(6), IsEmpty());
  EXPECT_EQ(Known(6), Knowledge::kKnown);  // nobody, and that is known
}

TEST_F(BatchTrackerTest, MarksWaitUntilTheyAreSettledAndAreAppliedByTime) {
  Mark(2, 200, false, {Row(1, 0, RowKind::kDecode, RowOp::kLeave)}, 2);
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode)}, 1);
  tracker_.ApplyUntil(150);
  EXPECT_EQ(Rows(2).size(), 1u);
  tracker_.ApplyUntil(200);
  EXPECT_EQ(Rows(1).size(), 1u);
  EXPECT_THAT(Rows(2), IsEmpty());
}

TEST_F(BatchTrackerTest, GapInSeqIsUnknownUntilTheNextSet) {
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode)}, 1);
  Mark(5, 300, false, {Row(2, 9, RowKind::kPrefill, RowOp::kJoin)}, 3);  // 2 was lost
  Mark(8, 400, true, {Row(2, 1, RowKind::kDecode)}, 4);
  tracker_.ApplyUntil(400);
  EXPECT_EQ(Known(1), Knowledge::kKnown);
  for (uint64_t iter = 2; iter < 8; ++iter) {
    EXPECT_EQ(Known(iter), Knowledge::kLost) << iter;
    EXPECT_THAT(Rows(iter), IsEmpty());
  }
  EXPECT_THAT(Rows(8), ElementsAre(Row(2, 1, RowKind::kDecode)));
}

TEST_F(BatchTrackerTest, WithoutSeqNoGapIsInferred) {
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode)}, 1);
  Mark(5, 300, false, {Row(2, 9, RowKind::kPrefill, RowOp::kJoin)});
  Mark(6, 400, false, {Row(1, 0, RowKind::kDecode, RowOp::kLeave)}, 2);
  tracker_.ApplyUntil(400);
  EXPECT_EQ(Rows(5).size(), 2u);
  EXPECT_THAT(Rows(6), ElementsAre(Row(2, 1, RowKind::kDecode)));
}

TEST_F(BatchTrackerTest, AttachedInTheMiddleNothingIsKnownBeforeTheFirstSet) {
  EXPECT_EQ(Known(50), Knowledge::kNone);
  Mark(50, 100, false, {Row(1, 1, RowKind::kDecode, RowOp::kJoin)}, 70);
  Mark(60, 200, true, {Row(1, 1, RowKind::kDecode)}, 71);
  tracker_.ApplyUntil(200);
  EXPECT_EQ(Known(55), Knowledge::kLost);
  EXPECT_EQ(Known(60), Knowledge::kKnown);
}

TEST_F(BatchTrackerTest, RepeatedMarkIsNoGap) {
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode)}, 1);
  Mark(2, 200, false, {Row(2, 9, RowKind::kPrefill, RowOp::kJoin)}, 2);
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode)}, 1);
  tracker_.ApplyUntil(300);
  Mark(2, 200, false, {Row(2, 9, RowKind::kPrefill, RowOp::kJoin)}, 2);
  tracker_.ApplyUntil(300);
  EXPECT_EQ(Known(2), Knowledge::kKnown);
  EXPECT_EQ(Rows(3).size(), 2u);
}

TEST_F(BatchTrackerTest, GroupsAreApart) {
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode)}, 1, 0);
  Mark(1, 100, true, {Row(2, 1, RowKind::kDecode)}, 1, 1);
  tracker_.ApplyUntil(100);
  EXPECT_THAT(Rows(1, 0), ElementsAre(Row(1, 1, RowKind::kDecode)));
  EXPECT_THAT(Rows(1, 1), ElementsAre(Row(2, 1, RowKind::kDecode)));
}

TEST_F(BatchTrackerTest, MarkWhoseRowsDoNotFitCountsAsLost) {
  Mark(1, 100, true, {Row(1, 1, RowKind::kDecode)}, 1);
  std::vector<record::BatchRow> many(2000, Row(7, 1, RowKind::kDecode));
  Mark(2, 200, true, many, 2);
  tracker_.ApplyUntil(200);
  EXPECT_EQ(Known(1), Knowledge::kKnown);
  EXPECT_EQ(Known(2), Knowledge::kLost);
  Mark(3, 300, true, {Row(2, 1, RowKind::kDecode)}, 3);
  tracker_.ApplyUntil(300);
  EXPECT_EQ(Known(3), Knowledge::kKnown);
}

TEST_F(BatchTrackerTest, MembersThatFindNoPlaceMakeTheBatchUnknown) {
  std::vector<record::BatchRow> many;
  for (uint64_t req = 1; req <= 65; ++req) many.push_back(Row(req, 1, RowKind::kDecode));  // 64 places
  Mark(1, 100, true, many, 1);
  tracker_.ApplyUntil(100);
  EXPECT_EQ(Known(1), Knowledge::kLost) << "a batch that lacks a member must not pass for the whole";
  EXPECT_EQ(losses_.Get(base::Loss::kBatchUnknown), 1u);
  many.resize(2);
  Mark(2, 200, true, many, 2);
  tracker_.ApplyUntil(200);
  EXPECT_EQ(Rows(2).size(), 2u);
}

TEST_F(BatchTrackerTest, RowsThatEndedLongAgoGiveTheirPlaceBack) {
  for (uint64_t i = 1; i <= 1000; ++i) {  // far more rows than places
    Mark(i, i * 100, true, {Row(i, 1, RowKind::kDecode)}, i);
    tracker_.ApplyUntil(i * 100);
    tracker_.Prune(i * 100 - 50);
  }
  EXPECT_THAT(Rows(1000), ElementsAre(Row(1000, 1, RowKind::kDecode)));
  EXPECT_EQ(losses_.Get(base::Loss::kBatchUnknown), 0u);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
