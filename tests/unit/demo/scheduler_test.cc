#include "core/scheduler.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace slowtoken::demo {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Writes down what the scheduler tells.
class Recorder : public SchedulerObserver {
 public:
  void OnScheduled(Request& r) override { told.push_back("scheduled " + r.id); }
  void OnResumed(Request& r) override { told.push_back("resumed " + r.id); }
  void OnPreempted(Request& r) override { told.push_back("preempted " + r.id); }
  void OnWaiting(Request& r) override {
    static constexpr const char* kReasons[] = {"none",    "kv_space",  "max_seqs", "budget",
                                               "adapter", "remote_kv", "grammar",  "other"};
    told.push_back("waiting " + r.id + " " + kReasons[static_cast<size_t>(r.waiting)]);
  }
  void OnKvAlloc(const Request& r, int64_t blocks) override { kv.push_back(r.id + " +" + std::to_string(blocks)); }
  void OnKvEvict(const Request& r, int64_t blocks) override { kv.push_back(r.id + " -" + std::to_string(blocks)); }
  void OnKvDone() override { ++kv_done; }

  std::vector<std::string> Take() { return std::exchange(told, {}); }

  std::vector<std::string> told, kv;
  size_t kv_done = 0;
};

// Rows as "id:n_tok:kind", with ! where a token is yielded.
std::vector<std::string> Texts(const std::vector<Row>& rows) {
  std::vector<std::string> texts;
  for (const Row& row : rows)
    texts.push_back(row.request->id + ":" + std::to_string(row.n_tok) + ":" + row.kind + (row.yields ? "!" : ""));
  return texts;
}

class SchedulerTest : public testing::Test {
 protected:
  SchedulerTest() {
    config.max_batch_tokens = 100;
    config.max_seqs = 4;
    config.block_tokens = 10;
    config.kv_blocks = 1000;
  }

  // Schedules and commits one iteration; every yielding row yields `n_new` tokens.
  std::vector<std::string> Step(Scheduler& scheduler, int64_t n_new = 1) {
    const std::vector<Row> rows = scheduler.Schedule();
    std::vector<std::string> texts = Texts(rows);
    std::vector<int64_t> yields;
    for (const Row& row : rows) yields.push_back(row.yields ? n_new : 0);
    scheduler.Commit(rows, yields);
    return texts;
  }

  Config config;
  Recorder recorder;
};

TEST_F(SchedulerTest, ShortPromptThenDecode) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 30, 5);
  EXPECT_THAT(Step(scheduler), ElementsAre("a:30:p!"));
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!"));
  EXPECT_EQ(scheduler.Find("a")->generated, 2);
  EXPECT_EQ(scheduler.Find("a")->computed, 31);
  EXPECT_THAT(recorder.told, ElementsAre("scheduled a"));
}

TEST_F(SchedulerTest, PromptOfOneToken) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 1, 2);
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:p!"));
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!"));
}

TEST_F(SchedulerTest, LongPromptComesInChunks) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 250, 5);
  EXPECT_THAT(Step(scheduler), ElementsAre("a:100:c"));
  EXPECT_THAT(Step(scheduler), ElementsAre("a:100:c"));
  EXPECT_THAT(Step(scheduler), ElementsAre("a:50:p!"));
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!"));
}

TEST_F(SchedulerTest, DecodesComeBeforeChunksWithinTheBudget) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("long", 250, 5);
  Step(scheduler);
  scheduler.Add("short", 10, 5);
  Step(scheduler);  // the long prompt takes the budget; the short one waits
  EXPECT_THAT(recorder.Take(), ElementsAre("scheduled long", "waiting short budget"));
  EXPECT_THAT(Step(scheduler), ElementsAre("long:50:p!", "short:10:p!"));
  scheduler.Add("next", 300, 5);
  EXPECT_THAT(Step(scheduler), ElementsAre("long:1:d!", "short:1:d!", "next:98:c"));
  EXPECT_THAT(Step(scheduler), ElementsAre("long:1:d!", "short:1:d!", "next:98:c"));
}

TEST_F(SchedulerTest, MaxSeqsKeepsTheQueueWaiting) {
  config.max_seqs = 2;
  Scheduler scheduler(config, recorder);
  for (const char* id : {"a", "b", "c", "d"}) scheduler.Add(id, 5, 5);
  EXPECT_THAT(Step(scheduler), ElementsAre("a:5:p!", "b:5:p!"));
  EXPECT_THAT(recorder.Take(), ElementsAre("scheduled a", "scheduled b", "waiting c max_seqs", "waiting d max_seqs"));
  Step(scheduler);
  EXPECT_THAT(recorder.Take(), IsEmpty());  // the reason holds; it is not told again
  scheduler.Remove("a");
  EXPECT_THAT(Step(scheduler), ElementsAre("b:1:d!", "c:5:p!"));
  EXPECT_EQ(scheduler.waiting(), 1);
}

TEST_F(SchedulerTest, EachRequestOfALongQueueIsToldWhyItWaitsOnce) {
  config.max_seqs = 2;
  Scheduler scheduler(config, recorder);
  for (int i = 0; i < 102; ++i) scheduler.Add("r" + std::to_string(i), 5, 5);
  Step(scheduler);
  const std::vector<std::string> told = recorder.Take();
  EXPECT_EQ(std::count_if(told.begin(), told.end(), [](const auto& line) { return line.ends_with("max_seqs"); }), 100);
  Step(scheduler);
  EXPECT_THAT(recorder.Take(), IsEmpty());
}

TEST_F(SchedulerTest, QueueWaitsForKvSpace) {
  config.kv_blocks = 10;
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 60, 5);
  scheduler.Add("b", 40, 5);
  EXPECT_THAT(Step(scheduler), ElementsAre("a:60:p!"));  // b would leave a no block to grow
  EXPECT_THAT(recorder.Take(), ElementsAre("scheduled a", "waiting b kv_space"));
  scheduler.Remove("a");
  EXPECT_THAT(Step(scheduler), ElementsAre("b:40:p!"));
}

TEST_F(SchedulerTest, PreemptsTheYoungestAndRecomputesIt) {
  config.kv_blocks = 5;
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 19, 30);
  scheduler.Add("b", 19, 30);
  EXPECT_THAT(Step(scheduler), ElementsAre("a:19:p!", "b:19:p!"));  // two blocks each
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!", "b:1:d!"));
  recorder.Take();
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!"));  // a takes the fifth block, b finds none
  EXPECT_THAT(recorder.Take(), ElementsAre("preempted b", "waiting b kv_space"));
  EXPECT_EQ(scheduler.Find("b")->computed, 0);
  EXPECT_EQ(scheduler.kv().used(), 3);
  scheduler.Remove("a");
  EXPECT_THAT(Step(scheduler), ElementsAre("b:21:r!"));  // prompt and the two tokens it had
  EXPECT_THAT(recorder.Take(), ElementsAre("resumed b"));
  EXPECT_EQ(scheduler.Find("b")->generated, 3);
  EXPECT_THAT(Step(scheduler), ElementsAre("b:1:d!"));
}

TEST_F(SchedulerTest, RecomputeMayTakeChunks) {
  config.kv_blocks = 30;
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 99, 300);
  scheduler.Add("b", 149, 100);
  while (scheduler.Find("b")->preempted.empty() && scheduler.Find("b")->computed < 150) Step(scheduler);
  for (int i = 0; i < 300 && scheduler.Find("b")->running; ++i) Step(scheduler);
  ASSERT_FALSE(scheduler.Find("b")->running);
  const int64_t tokens = scheduler.Find("b")->tokens();
  scheduler.Remove("a");
  EXPECT_THAT(Step(scheduler), ElementsAre("b:100:r"));
  EXPECT_THAT(Step(scheduler), ElementsAre("b:" + std::to_string(tokens - 100) + ":r!"));
}

TEST_F(SchedulerTest, RowsOfThePreemptedAreTakenOutOfTheIteration) {
  config.kv_blocks = 6;
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 20, 30);  // a full block boundary: the next token needs a block
  scheduler.Add("b", 20, 30);
  Step(scheduler);
  for (int i = 0; i < 40; ++i) {
    const std::vector<Row> rows = scheduler.Schedule();
    int64_t blocks = 0;
    for (const Row& row : rows) {
      EXPECT_TRUE(row.request->running);
      EXPECT_GE(static_cast<int64_t>(row.request->blocks.size()) * config.block_tokens,
                row.request->computed + row.n_tok);
      blocks += static_cast<int64_t>(row.request->blocks.size());
    }
    EXPECT_LE(blocks, config.kv_blocks);
    scheduler.Commit(rows, std::vector<int64_t>(rows.size(), 1));
  }
}

TEST_F(SchedulerTest, KvWorkIsToldAroundEachChange) {
  config.kv_blocks = 5;
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 19, 30);
  scheduler.Add("b", 19, 30);
  for (int i = 0; i < 3; ++i) Step(scheduler);
  EXPECT_THAT(recorder.kv, ElementsAre("a +2", "b +2", "a +1", "b -2"));
  EXPECT_EQ(recorder.kv_done, recorder.kv.size());
}

TEST_F(SchedulerTest, SpeculativeDecodingCommitsSeveralTokens) {
  config.speculative_tokens = 3;
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 10, 50);
  EXPECT_THAT(Step(scheduler), ElementsAre("a:10:p!"));
  EXPECT_THAT(Step(scheduler, 3), ElementsAre("a:4:v!"));
  EXPECT_EQ(scheduler.Find("a")->generated, 4);
  EXPECT_EQ(scheduler.Find("a")->computed, 13);
  EXPECT_THAT(Step(scheduler, 1), ElementsAre("a:4:v!"));
  EXPECT_EQ(scheduler.Find("a")->generated, 5);
}

TEST_F(SchedulerTest, FitsCountsPromptAnswerAndDrafts) {
  config.kv_blocks = 10;
  config.speculative_tokens = 4;
  const Scheduler scheduler(config, recorder);
  EXPECT_TRUE(scheduler.Fits(50, 46));
  EXPECT_FALSE(scheduler.Fits(50, 47));
}

TEST_F(SchedulerTest, RemoveGivesBlocksBackAndIgnoresStrangers) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 50, 5);
  scheduler.Add("b", 5, 5);
  Step(scheduler);
  EXPECT_EQ(scheduler.kv().used(), 6);
  scheduler.Remove("a");
  scheduler.Remove("nobody");
  EXPECT_EQ(scheduler.kv().used(), 1);
  EXPECT_EQ(scheduler.Find("a"), nullptr);
  EXPECT_FALSE(scheduler.idle());
  scheduler.Remove("b");
  EXPECT_TRUE(scheduler.idle());
  EXPECT_THAT(scheduler.Schedule(), IsEmpty());
}

TEST(GraphBucket, SmallestThatHolds) {
  const std::vector<int64_t> buckets = {1, 2, 4, 8};
  EXPECT_EQ(GraphBucket(buckets, 1), 1);
  EXPECT_EQ(GraphBucket(buckets, 3), 4);
  EXPECT_EQ(GraphBucket(buckets, 8), 8);
  EXPECT_EQ(GraphBucket(buckets, 9), 0);
  EXPECT_EQ(GraphBucket({}, 1), 0);
}

TEST(IsUniformDecode, OnlyDecodesOfOneLength) {
  Request request;
  const auto row = [&](int64_t n_tok, char kind) { return Row{&request, n_tok, kind, true}; };
  EXPECT_TRUE(IsUniformDecode({row(1, 'd'), row(1, 'd')}));
  EXPECT_TRUE(IsUniformDecode({row(4, 'v'), row(4, 'v')}));
  EXPECT_FALSE(IsUniformDecode({row(1, 'd'), row(5, 'p')}));
  EXPECT_FALSE(IsUniformDecode({row(1, 'd'), row(1, 'p')}));
  EXPECT_FALSE(IsUniformDecode({row(4, 'v'), row(2, 'v')}));
}

// What scenarios do to a scheduler.

TEST_F(SchedulerTest, AHeldRequestIsPassedByOthersAndRunsOnceItIsFree) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 10, 5).held = WaitReason::kAdapter;
  EXPECT_TRUE(scheduler.idle());
  scheduler.Add("b", 10, 5);
  EXPECT_FALSE(scheduler.idle());
  EXPECT_THAT(Step(scheduler), ElementsAre("b:10:p!"));
  EXPECT_THAT(recorder.Take(), ElementsAre("waiting a adapter", "scheduled b"));
  EXPECT_THAT(Step(scheduler), ElementsAre("b:1:d!"));
  EXPECT_THAT(recorder.Take(), IsEmpty());  // it is told once
  scheduler.Find("a")->held = WaitReason::kNone;
  EXPECT_THAT(Step(scheduler), ElementsAre("b:1:d!", "a:10:p!"));
}

TEST_F(SchedulerTest, AHeldRequestKeepsItsReasonWhileOthersWaitForAnother) {
  Scheduler scheduler(config, recorder);
  scheduler.limits().max_seqs = 0;
  scheduler.Add("a", 10, 5).held = WaitReason::kGrammar;
  scheduler.Add("b", 10, 5);
  EXPECT_THAT(Step(scheduler), IsEmpty());
  EXPECT_THAT(recorder.Take(), ElementsAre("waiting a grammar", "waiting b max_seqs"));
}

TEST_F(SchedulerTest, LimitsKeepTheQueueWaitingForTheirReason) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 10, 9);
  Step(scheduler);
  recorder.Take();
  scheduler.Add("b", 10, 5);
  scheduler.limits().max_seqs = 1;
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!"));
  EXPECT_THAT(recorder.Take(), ElementsAre("waiting b max_seqs"));
  scheduler.limits() = {};
  scheduler.limits().queue_gets_no_tokens = true;
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!"));
  EXPECT_THAT(recorder.Take(), ElementsAre("waiting b budget"));
  scheduler.limits() = {};
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!", "b:10:p!"));
}

TEST_F(SchedulerTest, AWholePromptIsNotCutByTheBudget) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 10, 9);
  Step(scheduler);
  scheduler.Add("b", 350, 5).whole = true;
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!", "b:350:p!"));
}

TEST_F(SchedulerTest, ChunksCanBeSmallAndFarApart) {
  Scheduler scheduler(config, recorder);
  scheduler.Add("a", 10, 20);
  Step(scheduler);
  Request& slow = scheduler.Add("b", 50, 5);
  slow.chunk_tokens = 20;
  slow.chunk_pause = 2;
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!", "b:20:c"));
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!"));
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!"));
  EXPECT_THAT(Step(scheduler), ElementsAre("a:1:d!", "b:20:c"));
  scheduler.Remove("a");
  EXPECT_THAT(Step(scheduler), ElementsAre("b:10:p!"));  // with nobody else there is nothing to wait for
}

}  // namespace
}  // namespace slowtoken::demo
