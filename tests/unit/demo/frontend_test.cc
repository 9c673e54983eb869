#include "server/frontend.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "own_file.h"

namespace slowtoken::demo {
namespace {

using nlohmann::json;
constexpr int kLongMs = 10'000;

class FrontendTest : public testing::Test {
 protected:
  FrontendTest() {
    config.tokenize_rounds = 1;
    EXPECT_TRUE(truth.Open(path, true).ok());
    frontend = std::make_unique<Frontend>(config, frontend_end, truth);
  }

  void BeReady(const std::string& error = "") {
    Ready ready{error};
    ASSERT_TRUE(engine.Send(Encode(ready)));
  }

  // What the engine hears next, as Message.
  template <typename Message>
  Message Hear() {
    const std::optional<std::string> bytes = engine.Receive();
    const std::optional<Message> message = bytes ? Decode<Message>(*bytes) : std::nullopt;
    EXPECT_TRUE(message.has_value());
    return message.value_or(Message{});
  }

  void Tell(const std::string& id, int64_t n, FinishReason finish = FinishReason::kNone) {
    Outputs outputs;
    Output& output = outputs.outputs.emplace_back();
    output.id = id;
    output.n = n;
    output.n_new = n > 0 ? 1 : 0;
    output.commit = 1000 + n;
    output.finish = finish;
    output.queued = 5;
    output.scheduled = 6;
    output.iterations = {1, 2};
    ASSERT_TRUE(engine.Send(Encode(outputs)));
  }

  std::vector<json> TruthRequests() {
    while (frontend->active() > 0) std::this_thread::yield();
    truth.Close();
    std::vector<json> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("{\"req\"")) lines.push_back(json::parse(line));
    return lines;
  }

  const OwnFile own{"truth.jsonl"};
  const std::string& path = own.path();
  Config config;
  TruthFile truth;
  std::pair<int, int> fds = Channel::Pair();
  Channel engine{fds.second}, frontend_end{fds.first};
  std::unique_ptr<Frontend> frontend;
};

TEST_F(FrontendTest, ReportsWhyTheEngineCannotStart) {
  BeReady("no CUDA device");
  EXPECT_EQ(frontend->WaitReady().message(), "no CUDA device");
}

TEST_F(FrontendTest, AnEngineThatEndsEarlyIsAnError) {
  engine.Close();
  EXPECT_FALSE(frontend->WaitReady().ok());
}

TEST_F(FrontendTest, ARequestFromArrivalToItsTruthLine) {
  BeReady();
  ASSERT_TRUE(frontend->WaitReady().ok());
  const std::shared_ptr<Stream> stream = frontend->Begin("a", 20, 2);
  stream->truth.arrival = 1;
  frontend->Submit(stream);
  EXPECT_EQ(Hear<Submit>().n_prompt, 20);
  Tell("a", 1);
  Tell("a", 2, FinishReason::kLength);
  for (int64_t n = 1; n <= 2; ++n) {
    const std::optional<Output> output = frontend->Next(*stream, kLongMs);
    ASSERT_TRUE(output.has_value());
    EXPECT_EQ(output->n, n);
    frontend->Sent(*stream, *output, {2000 + n, 3000 + n});
  }
  frontend->Leave(*stream);
  const std::vector<json> lines = TruthRequests();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["finish"], "length");
  EXPECT_EQ(lines[0]["iters"], json::parse("[1,2]"));
  EXPECT_EQ(lines[0]["tokens"],
            json::parse(R"([{"n":1,"commit":1001,"send":[2001,3001]},{"n":2,"commit":1002,"send":[2002,3002]}])"));
}

TEST_F(FrontendTest, AnIdCanBeUsedAgainOnlyAfterItsEnd) {
  BeReady();
  ASSERT_TRUE(frontend->WaitReady().ok());
  const std::shared_ptr<Stream> stream = frontend->Begin("a", 20, 2);
  EXPECT_EQ(frontend->Begin("a", 20, 2), nullptr);
  frontend->Reject(stream);
  EXPECT_NE(frontend->Begin("a", 20, 2), nullptr);
}

TEST_F(FrontendTest, LeavingAbortsAndTheTruthWaitsForTheEngine) {
  BeReady();
  ASSERT_TRUE(frontend->WaitReady().ok());
  const std::shared_ptr<Stream> stream = frontend->Begin("a", 20, 50);
  frontend->Submit(stream);
  Hear<Submit>();
  Tell("a", 1);
  while (true) {
    const std::lock_guard lock(stream->mutex);
    if (!stream->outputs.empty()) break;
  }
  frontend->Leave(*stream);  // with one output not sent
  EXPECT_EQ(Hear<Abort>().id, "a");
  EXPECT_EQ(frontend->active(), 1);
  Tell("a", 2);  // committed before the engine heard
  Tell("a", 0, FinishReason::kAbort);
  const std::vector<json> lines = TruthRequests();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["finish"], "abort");
  ASSERT_EQ(lines[0]["tokens"].size(), 2u);
  EXPECT_TRUE(lines[0]["tokens"][1]["send"].is_null());
}

TEST_F(FrontendTest, AbortBeforeTheFirstTokenHasNone) {  // bug log row 126
  BeReady();
  ASSERT_TRUE(frontend->WaitReady().ok());
  const std::shared_ptr<Stream> stream = frontend->Begin("a", 20, 50);
  frontend->Leave(*stream);  // gone before it was tokenised
  frontend->Submit(stream);
  const std::vector<json> lines = TruthRequests();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["finish"], "abort");
  EXPECT_TRUE(lines[0]["tokens"].empty());
  EXPECT_TRUE(lines[0]["queued"].is_null());
}

TEST_F(FrontendTest, WhenTheEngineGoesWaitingClientsAreTold) {
  BeReady();
  ASSERT_TRUE(frontend->WaitReady().ok());
  const std::shared_ptr<Stream> stream = frontend->Begin("a", 20, 50);
  frontend->Submit(stream);
  Hear<Submit>();
  engine.Close();
  const std::optional<Output> output = frontend->Next(*stream, kLongMs);
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->finish, FinishReason::kError);
}

TEST_F(FrontendTest, AbortAllNamesEveryRequest) {
  BeReady();
  ASSERT_TRUE(frontend->WaitReady().ok());
  frontend->Begin("a", 1, 1);
  frontend->Begin("b", 1, 1);
  frontend->AbortAll();
  EXPECT_THAT((std::vector<std::string>{Hear<Abort>().id, Hear<Abort>().id}), testing::UnorderedElementsAre("a", "b"));
}

}  // namespace
}  // namespace slowtoken::demo
