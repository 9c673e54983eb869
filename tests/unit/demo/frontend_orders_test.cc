// What scenarios do in the frontend, with an engine that answers every request with the tokens it asks for.
#include "scenario/frontend_orders.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "own_file.h"
#include "server/responder.h"

namespace slowtoken::demo {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

class FrontendOrdersTest : public testing::Test {
 protected:
  FrontendOrdersTest() {
    config.tokenize_rounds = 100;
    EXPECT_TRUE(truth.Open(path, true).ok());
    orders = std::make_unique<FrontendOrders>(config, truth);
    frontend = std::make_unique<Frontend>(config, frontend_end, truth, orders.get());
    orders->Start(*frontend);
    engine_thread = std::thread([this] { Answer(); });
    EXPECT_TRUE(frontend->WaitReady().ok());
  }

  ~FrontendOrdersTest() override {
    orders->Stop();
    frontend.reset();
    engine_thread.join();
  }

  void Answer() {
    Ready ready;
    engine.Send(Encode(ready));
    while (const std::optional<std::string> message = engine.Receive()) {
      const std::optional<Submit> submit = Decode<Submit>(*message);
      if (!submit) continue;
      for (int64_t n = 1; n <= submit->max_new; ++n) {
        Outputs outputs;
        Output& output = outputs.outputs.emplace_back();
        output.id = submit->id;
        output.n = n;
        output.n_new = 1;
        output.tokens = {1};
        output.commit = NowNs();
        if (n == submit->max_new) output.finish = FinishReason::kLength;
        engine.Send(Encode(outputs));
      }
    }
  }

  std::vector<json> Lines() {
    orders->Stop();
    while (frontend->active() > 0) std::this_thread::yield();
    truth.Close();
    std::vector<json> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
    return lines;
  }

  static json Find(const std::vector<json>& lines, const char* key, const std::string& value) {
    for (const json& line : lines)
      if (line.value(key, "") == value) return line;
    return {};
  }

  const OwnFile own{"truth.jsonl"};
  const std::string& path = own.path();
  Config config;
  TruthFile truth;
  std::pair<int, int> fds = Channel::Pair();
  Channel frontend_end{fds.first}, engine{fds.second};
  std::unique_ptr<FrontendOrders> orders;
  std::unique_ptr<Frontend> frontend;
  std::thread engine_thread;
};

TEST_F(FrontendOrdersTest, ARequestOfItsOwnIsOneLikeAnyOther) {
  orders->Carry({FrontendOrder::What::kSendRequest, "injected-1", 20, 3, 0});
  const json request = Find(Lines(), "req", "injected-1");
  EXPECT_EQ(request["finish"], "length");
  ASSERT_EQ(request["tokens"].size(), 3u);
  EXPECT_GT(request["tokens"][2]["send"][1], request["arrival"]);
}

TEST_F(FrontendOrdersTest, ALongTextKeepsTheTokenizerFromOthers) {
  orders->Carry({FrontendOrder::What::kLongText, "injected-1", 0, 0, 500'000'000});
  const std::vector<json> lines = Lines();
  const json line = Find(lines, "injected", "tokenizer"), request = Find(lines, "req", "injected-1"),
             text = Find(lines, "req", "injected-1-text0");
  ASSERT_FALSE(line.is_null());
  EXPECT_THAT(line["reqs"], ElementsAre("injected-1"));
  EXPECT_EQ(line["start"], text["tokenize"][0]);
  EXPECT_EQ(line["end"], text["tokenize"][1]);
  EXPECT_EQ(text["finish"], "abort");
  EXPECT_GE(request["tokenize"][0], text["tokenize"][1]);
  EXPECT_LT(request["arrival"], text["tokenize"][1]);
}

TEST_F(FrontendOrdersTest, ASlowClientBlocksItsOwnSender) {
  orders->Carry({FrontendOrder::What::kSlowClient, "injected-1", 0, 0, 30'000'000});
  const std::vector<json> lines = Lines();
  const json line = Find(lines, "injected", "transport_backpressure"), request = Find(lines, "req", "injected-1");
  ASSERT_FALSE(line.is_null());
  EXPECT_EQ(line["variant"], "client");
  EXPECT_THAT(line["reqs"], ElementsAre("injected-1"));
  TimeNs longest = 0;
  for (const json& token : request["tokens"])
    longest = std::max(longest, token["send"][1].get<TimeNs>() - token["send"][0].get<TimeNs>());
  EXPECT_GE(longest, 30'000'000);
}

TEST_F(FrontendOrdersTest, SendersWaitForTheLock) {
  orders->Carry({FrontendOrder::What::kHoldSenders, "injected-1", 0, 0, 400'000'000});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  orders->Carry({FrontendOrder::What::kSendRequest, "r", 5, 2, 0});
  const std::vector<json> lines = Lines();
  const json line = Find(lines, "injected", "transport_backpressure"), request = Find(lines, "req", "r");
  ASSERT_FALSE(line.is_null());
  EXPECT_EQ(line["variant"], "lock");
  EXPECT_THAT(line["reqs"], ElementsAre("r"));
  EXPECT_GE(request["tokens"][0]["send"][0], line["end"]);
}

TEST_F(FrontendOrdersTest, NothingIsWrittenWhereNobodyWaited) {
  orders->Carry({FrontendOrder::What::kHoldSenders, "injected-1", 0, 0, 5'000'000});
  EXPECT_TRUE(Find(Lines(), "injected", "transport_backpressure").is_null());
}

TEST_F(FrontendOrdersTest, TheEngineOrders) {
  FrontendOrder order{FrontendOrder::What::kHoldSenders, "injected-1", 0, 0, 400'000'000};
  ASSERT_TRUE(engine.Send(Encode(order)));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  orders->Carry({FrontendOrder::What::kSendRequest, "r", 5, 1, 0});
  EXPECT_FALSE(Find(Lines(), "injected", "transport_backpressure").is_null());
}

TEST_F(FrontendOrdersTest, NothingIsBegunOnceStopped) {
  orders->Stop();
  orders->Carry({FrontendOrder::What::kSendRequest, "late", 5, 1, 0});
  EXPECT_EQ(frontend->active(), 0);
  EXPECT_TRUE(Lines().empty());
}

}  // namespace
}  // namespace slowtoken::demo
