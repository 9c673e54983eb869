#include "server/engine.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <fstream>
#include <nlohmann/json.hpp>

#include "own_file.h"

namespace slowtoken::demo {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

// A worker that yields a token (or several) at once, and can be held or broken.
class FakeWorker : public WorkerPort {
 public:
  PlanResult Run(const Plan& plan) override {
    std::unique_lock lock(mutex);
    plans.push_back(plan);
    ran.notify_all();
    released.wait(lock, [this] { return !held; });
    PlanResult result;
    result.iter = plan.iter;
    result.error = error;
    result.kernels = 64;
    result.forward = result.sample = {NowNs(), NowNs()};
    for (const PlanRow& row : plan.rows) {
      RowResult& tokens = result.rows.emplace_back();
      if (row.yields) tokens.tokens.assign(static_cast<size_t>(tokens_a_row), token);
    }
    return result;
  }

  void Hold(bool hold) {
    const std::lock_guard lock(mutex);
    held = hold;
    released.notify_all();
  }

  // Waits until iteration `count` has begun.
  void AwaitIteration(size_t count) {
    std::unique_lock lock(mutex);
    ran.wait(lock, [&] { return plans.size() >= count; });
  }

  std::mutex mutex;
  std::condition_variable ran, released;
  std::vector<Plan> plans;
  bool held = false;
  std::string error;
  int32_t token = 5;
  int tokens_a_row = 1;
};

class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    config.max_batch_tokens = 64;
    config.graph_buckets = {1, 2};
  }

  void Start() {
    thread_ = std::thread([this] { status = Engine(config, engine_end_, worker, truth).Run(); });
  }

  void Stop() {
    frontend.Close();
    if (thread_.joinable()) thread_.join();
  }

  void TearDown() override {
    worker.Hold(false);
    Stop();
  }

  void SendSubmit(const std::string& id, int64_t n_prompt, int64_t max_new) {
    Submit submit{id, n_prompt, max_new};
    ASSERT_TRUE(frontend.Send(Encode(submit)));
  }

  // Outputs of all requests until `id` has ended.
  std::vector<Output> ReadUntilEnd(const std::string& id) {
    std::vector<Output> all;
    while (const std::optional<std::string> message = frontend.Receive()) {
      std::optional<Outputs> outputs = Decode<Outputs>(*message);
      for (Output& output : outputs->outputs) {
        all.push_back(std::move(output));
        if (all.back().id == id && all.back().finish != FinishReason::kNone) return all;
      }
    }
    ADD_FAILURE() << id << " did not end";
    return all;
  }

  std::pair<int, int> fds_ = Channel::Pair();

 public:
  Config config;
  TruthFile truth;
  FakeWorker worker;
  Channel frontend{fds_.first};
  absl::Status status;

 private:
  Channel engine_end_{fds_.second};
  std::thread thread_;
};

TEST_F(EngineTest, RunsARequestToItsLength) {
  Start();
  SendSubmit("a", 100, 3);
  const std::vector<Output> outputs = ReadUntilEnd("a");
  ASSERT_EQ(outputs.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(outputs[i].n, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(outputs[i].n_new, 1);
    EXPECT_EQ(outputs[i].iter, static_cast<int64_t>(i) + 2);  // the first iteration was a chunk
    EXPECT_THAT(outputs[i].tokens, ElementsAre(5));
  }
  const Output& last = outputs.back();
  EXPECT_EQ(last.finish, FinishReason::kLength);
  EXPECT_THAT(last.iterations, ElementsAre(1, 2, 3, 4));
  EXPECT_LE(last.queued, last.scheduled);
  EXPECT_LE(last.scheduled, outputs.front().commit);
  Stop();
  EXPECT_TRUE(status.ok());
}

TEST_F(EngineTest, PlansSayWhatTheWorkerNeeds) {
  Start();
  SendSubmit("a", 100, 2);
  ReadUntilEnd("a");
  ASSERT_EQ(worker.plans.size(), 3u);
  const Plan &chunk = worker.plans[0], &last_chunk = worker.plans[1], &decode = worker.plans[2];
  EXPECT_EQ(chunk.bucket, 0);
  EXPECT_EQ(chunk.rows[0].kind, 'c');
  EXPECT_FALSE(chunk.rows[0].yields);
  EXPECT_EQ(chunk.rows[0].n_tok, 64);
  EXPECT_EQ(chunk.kv_used, 4);
  EXPECT_EQ(chunk.kv_total, config.kv_blocks);
  EXPECT_EQ(last_chunk.rows[0].context, 64);
  EXPECT_EQ(last_chunk.rows[0].kind, 'p');
  EXPECT_EQ(last_chunk.rows[0].blocks.size(), 7u);
  EXPECT_EQ(decode.bucket, 1);
  EXPECT_EQ(decode.rows[0].context, 100);
  EXPECT_EQ(decode.rows[0].n_answer, 1);
}

TEST_F(EngineTest, AStopTokenEndsTheAnswer) {
  worker.token = 0;
  Start();
  SendSubmit("a", 10, 50);
  const std::vector<Output> outputs = ReadUntilEnd("a");
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].finish, FinishReason::kStop);
  EXPECT_EQ(outputs[0].n, 1);
}

// Bug log row 126: one emission may carry several tokens; none may pass the asked length.
TEST_F(EngineTest, BugLog126_SeveralTokensAnEmission) {
  config.speculative_tokens = 3;
  worker.tokens_a_row = 3;
  Start();
  SendSubmit("a", 10, 7);
  const std::vector<Output> outputs = ReadUntilEnd("a");
  std::vector<int64_t> n, n_new;
  for (const Output& output : outputs) {
    n.push_back(output.n);
    n_new.push_back(output.n_new);
  }
  EXPECT_THAT(n, ElementsAre(3, 6, 7));
  EXPECT_THAT(n_new, ElementsAre(3, 3, 1));
  EXPECT_EQ(worker.plans[1].rows[0].kind, 'v');
  EXPECT_EQ(worker.plans[1].rows[0].n_tok, 4);
}

TEST_F(EngineTest, RequestsThatComeLaterJoinTheBatch) {
  worker.held = true;
  Start();
  SendSubmit("a", 10, 50'000);  // it is still there, however long the others are on their way
  worker.AwaitIteration(1);
  SendSubmit("b", 10, 2);
  SendSubmit("c", 10, 2);
  frontend.Send(std::string("?"));  // an unknown message is left alone
  worker.Hold(false);
  ReadUntilEnd("c");
  Stop();
  bool seen_together = false;
  for (const Plan& plan : worker.plans) {
    int64_t decodes = 0;
    for (const PlanRow& row : plan.rows) decodes += row.kind == 'd';
    const int64_t rows = static_cast<int64_t>(plan.rows.size());
    EXPECT_EQ(plan.mixed, decodes > 0 && decodes < rows);
    EXPECT_EQ(plan.bucket, decodes == rows && rows <= 2 ? rows : 0);
    seen_together = seen_together || rows > 1;
  }
  EXPECT_TRUE(seen_together);
}

TEST_F(EngineTest, AbortEndsARequestBetweenIterations) {
  Start();
  worker.Hold(true);
  SendSubmit("a", 10, 1000);
  worker.AwaitIteration(1);
  Abort abort{"a"};
  ASSERT_TRUE(frontend.Send(Encode(abort)));
  worker.Hold(false);
  const std::vector<Output> outputs = ReadUntilEnd("a");
  EXPECT_EQ(outputs.back().finish, FinishReason::kAbort);
  EXPECT_EQ(outputs.back().n_new, 0);
  EXPECT_LT(outputs.size(), 1000u);
}

TEST_F(EngineTest, AFailedGpuEndsEveryRequestWithAnError) {
  worker.error = "cudaGraphLaunch: cudaErrorLaunchFailure";
  worker.held = true;
  Start();
  SendSubmit("a", 10, 5);
  worker.AwaitIteration(1);
  worker.Hold(false);
  EXPECT_EQ(ReadUntilEnd("a").back().finish, FinishReason::kError);
  Stop();
  EXPECT_EQ(status.message(), "cudaGraphLaunch: cudaErrorLaunchFailure");
}

TEST_F(EngineTest, WritesAnIterationLineForEachIteration) {
  const OwnFile own("engine_truth.jsonl");
  const std::string& path = own.path();
  ASSERT_TRUE(truth.Open(path, true).ok());
  Start();
  SendSubmit("a", 10, 3);
  ReadUntilEnd("a");
  Stop();
  ASSERT_TRUE(truth.Close());
  std::ifstream file(path);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  std::erase_if(lines, [](const json& line) { return !line.contains("iter"); });
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["rows"], json::parse(R"([["a",10,"p"]])"));
  EXPECT_EQ(lines[2]["rows"], json::parse(R"([["a",1,"d"]])"));
  EXPECT_EQ(lines[2]["iter"], 3);
  EXPECT_LE(lines[0]["schedule"][1], lines[0]["forward"][0]);
}

}  // namespace
}  // namespace slowtoken::demo
