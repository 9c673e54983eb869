#include "core/batch_diff.h"

#include <gmock/gmock.h>

#include <list>
#include <map>
#include <random>

namespace slowtoken::demo {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr TimeNs kStart = 1'000'000'000;

class BatchDiffTest : public testing::Test {
 protected:
  Row MakeRow(const std::string& id, int64_t n_tok, char kind) {
    requests_.emplace_back().id = id;
    return {&requests_.back(), n_tok, kind, true};
  }

  BatchDiff diff;

 private:
  std::list<Request> requests_;
};

TEST_F(BatchDiffTest, FirstIsWhole) {
  EXPECT_THAT(diff.Next({MakeRow("a", 5, 'p'), MakeRow("b", 9, 'c')}, kStart),
              ElementsAre(BatchChange{BatchOp::kSet, "a", 5, 'p'}, BatchChange{BatchOp::kSet, "b", 9, 'c'}));
}

TEST_F(BatchDiffTest, PrefillBecomesDecodeWithoutARow) {
  diff.Next({MakeRow("a", 5, 'p')}, kStart);
  EXPECT_THAT(diff.Next({MakeRow("a", 1, 'd')}, kStart + 1), IsEmpty());
  EXPECT_THAT(diff.Next({MakeRow("a", 1, 'd')}, kStart + 2), IsEmpty());
}

TEST_F(BatchDiffTest, JoinLeaveChangeInGroups) {
  diff.Next({MakeRow("a", 1, 'd'), MakeRow("b", 64, 'c'), MakeRow("c", 1, 'd')}, kStart);
  EXPECT_THAT(diff.Next({MakeRow("a", 1, 'd'), MakeRow("b", 10, 'p'), MakeRow("d", 7, 'p')}, kStart + 1),
              ElementsAre(BatchChange{BatchOp::kJoin, "d", 7, 'p'}, BatchChange{BatchOp::kLeave, "c", 0, 'd'},
                          BatchChange{BatchOp::kChange, "b", 10, 'p'}));
}

TEST_F(BatchDiffTest, VerifyAfterPrefillIsAChange) {
  diff.Next({MakeRow("a", 5, 'p')}, kStart);
  EXPECT_THAT(diff.Next({MakeRow("a", 4, 'v')}, kStart + 1), ElementsAre(BatchChange{BatchOp::kChange, "a", 4, 'v'}));
}

TEST_F(BatchDiffTest, WholeAgainAfterThePeriod) {
  diff.Next({MakeRow("a", 1, 'd')}, kStart);
  EXPECT_THAT(diff.Next({MakeRow("a", 1, 'd')}, kStart + BatchDiff::kFullPeriod - 1), IsEmpty());
  EXPECT_THAT(diff.Next({MakeRow("a", 1, 'd')}, kStart + BatchDiff::kFullPeriod),
              ElementsAre(BatchChange{BatchOp::kSet, "a", 1, 'd'}));
}

// What a reader does by the vocabulary's rules.
void Apply(const std::vector<BatchChange>& changes, std::map<std::string, std::pair<int64_t, char>>& members) {
  if (!changes.empty() && changes.front().op == BatchOp::kSet) members.clear();
  for (const BatchChange& change : changes) {
    if (change.op == BatchOp::kLeave)
      members.erase(change.id);
    else
      members[change.id] = {change.n_tok, change.kind};
  }
}

TEST_F(BatchDiffTest, AReaderAlwaysKnowsTheBatch) {
  std::mt19937 random(7);
  std::map<std::string, std::pair<int64_t, char>> seen;
  TimeNs now = kStart;
  for (int iteration = 0; iteration < 2000; ++iteration, now += 5'000'000) {
    std::vector<Row> rows;
    std::map<std::string, std::pair<int64_t, char>> truth;
    for (char id = 'a'; id < 'i'; ++id) {
      if (random() % 3 == 0) continue;
      const char kind = "pcdvr"[random() % 5];
      const int64_t n_tok = kind == 'd' ? 1 : 1 + random() % 3;
      rows.push_back(MakeRow(std::string(1, id), n_tok, kind));
      truth[std::string(1, id)] = {n_tok, kind};
    }
    Apply(diff.Next(rows, now), seen);
    ASSERT_EQ(seen, truth) << "iteration " << iteration;
    for (auto& [id, member] : seen)
      if (member.second == 'p') member = {1, 'd'};
  }
}

}  // namespace
}  // namespace slowtoken::demo
