// The HTTP side over real sockets, with an engine that answers every request with the tokens it asks for.
#include "server/http_server.h"

#include <gmock/gmock.h>
#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>

namespace slowtoken::demo {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Answers all but the requests whose id starts with "slow", which it leaves without an answer until they are aborted.
class EchoEngine {
 public:
  explicit EchoEngine(Channel& channel) : channel_(channel), thread_([this] { Run(); }) {}
  ~EchoEngine() { thread_.join(); }

 private:
  void Run() {
    Ready ready;
    channel_.Send(Encode(ready));
    while (const std::optional<std::string> message = channel_.Receive()) {
      if (std::optional<Submit> submit = Decode<Submit>(*message)) Answer(*submit);
      if (std::optional<Abort> abort = Decode<Abort>(*message)) End(abort->id);
    }
  }

  void Answer(const Submit& submit) {
    if (submit.id.starts_with("slow")) return;
    for (int64_t n = 1; n <= submit.max_new; ++n) {
      Outputs outputs;
      Output& output = outputs.outputs.emplace_back();
      output.id = submit.id;
      output.n = n;
      output.n_new = 1;
      output.tokens = {static_cast<int32_t>(n)};
      if (n == submit.max_new) output.finish = FinishReason::kLength;
      channel_.Send(Encode(outputs));
    }
  }

  void End(const std::string& id) {
    Outputs outputs;
    Output& output = outputs.outputs.emplace_back();
    output.id = id;
    output.finish = FinishReason::kAbort;
    channel_.Send(Encode(outputs));
  }

  Channel& channel_;
  std::thread thread_;
};

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() {
    config.tokenize_rounds = 1;
    config.http_threads = 4;
    config.kv_blocks = 100;
    EXPECT_TRUE(frontend->WaitReady().ok());
    port = server.Bind(0);
    serving = std::thread([this] { server.Serve(); });
  }

  ~HttpServerTest() override {
    server.Stop();
    serving.join();
    frontend.reset();  // closes the channel, which ends the engine
  }

  httplib::Result Post(const json& body, const std::string& id = "") {
    httplib::Client client("127.0.0.1", port);
    httplib::Headers headers;
    if (!id.empty()) headers.emplace("x-request-id", id);
    return client.Post("/v1/completions", headers, body.dump(), "application/json");
  }

  Config config;
  TruthFile truth;
  std::pair<int, int> fds = Channel::Pair();
  Channel engine_end{fds.second}, frontend_end{fds.first};
  EchoEngine engine{engine_end};
  std::unique_ptr<Frontend> frontend = std::make_unique<Frontend>(config, frontend_end, truth);
  HttpServer server{config, 7, *frontend};
  int port = 0;
  std::thread serving;
};

TEST_F(HttpServerTest, StreamsOneEventAToken) {
  const httplib::Result result = Post({{"prompt_tokens", 5}, {"max_tokens", 3}, {"stream", true}}, "my-id");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->get_header_value("content-type"), "text/event-stream");
  EXPECT_EQ(result->get_header_value("x-request-id"), "my-id");
  std::vector<std::string> events;
  std::string rest = result->body;
  for (size_t end; (end = rest.find("\n\n")) != rest.npos; rest.erase(0, end + 2))
    events.push_back(rest.substr(6, end - 6));
  ASSERT_EQ(events.size(), 4u);
  for (int64_t n = 1; n <= 3; ++n) {
    const json event = json::parse(events[static_cast<size_t>(n) - 1]);
    EXPECT_EQ(event["id"], "my-id");
    EXPECT_EQ(event["n"], n);
    EXPECT_EQ(event["n_new"], 1);
    EXPECT_EQ(event["finish_reason"], n == 3 ? json("length") : json());
  }
  EXPECT_EQ(events[3], "[DONE]");
}

TEST_F(HttpServerTest, AnswersWhole) {
  const httplib::Result result = Post({{"prompt_tokens", 5}, {"max_tokens", 3}});
  ASSERT_TRUE(result);
  const json answer = json::parse(result->body);
  EXPECT_EQ(answer["tokens"], 3);
  EXPECT_EQ(answer["finish_reason"], "length");
  EXPECT_THAT(answer["id"].get<std::string>(), HasSubstr("cmpl-7-"));
}

TEST_F(HttpServerTest, RefusesWhatItCannotServe) {
  EXPECT_EQ(Post({{"max_tokens", 3}})->status, 400);
  EXPECT_EQ(Post({{"prompt_tokens", 3}}, "a,b")->status, 400);
  const httplib::Result large = Post({{"prompt_tokens", 1600}, {"max_tokens", 1}});
  EXPECT_EQ(large->status, 400);
  EXPECT_THAT(large->body, HasSubstr("exceed the KV cache of 1600 tokens"));
  EXPECT_EQ(Post({{"prompt_tokens", 1599}, {"max_tokens", 1}})->status, 200);
}

TEST_F(HttpServerTest, AClientThatGoesAwayAbortsItsRequest) {
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(0, 100'000);
  const auto result = client.Post("/v1/completions", {{"x-request-id", "slow"}}, R"({"prompt_tokens":5,"stream":true})",
                                  "application/json");
  EXPECT_FALSE(result);
  client.stop();
  while (frontend->active() > 0) std::this_thread::yield();  // the engine heard of it, and ended it
}

TEST_F(HttpServerTest, AnIdInUseIsRefused) {
  const std::shared_ptr<Stream> stream = frontend->Begin("twice", 5, 5);
  EXPECT_EQ(Post({{"prompt_tokens", 5}}, "twice")->status, 409);
  frontend->Reject(stream);
  EXPECT_EQ(Post({{"prompt_tokens", 5}}, "twice")->status, 200);
}

// CI met 409 from the request after one whose answer was read to its end.
TEST_F(HttpServerTest, AnIdIsFreeOnceItsAnswerIsRead) {
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(Post({{"prompt_tokens", 5}, {"max_tokens", 2}, {"stream", i % 2 == 0}}, "same")->status, 200) << i;
}

TEST_F(HttpServerTest, DrainingRefusesNewRequests) {
  server.Drain();
  EXPECT_EQ(Post({{"prompt_tokens", 5}})->status, 503);
}

TEST_F(HttpServerTest, Health) {
  httplib::Client client("127.0.0.1", port);
  EXPECT_EQ(client.Get("/health")->body, "ok\n");
}

// Whether a connection is made while nobody accepts.
bool Connects(int port, int& fd) {
  fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
  pollfd ready{fd, POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  return poll(&ready, 1, 500) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

TEST_F(HttpServerTest, ABurstOfConnectionsWaits) {
  HttpServer busy(config, 1, *frontend);
  const int busy_port = busy.Bind(0);
  ASSERT_GT(busy_port, 0);
  std::vector<int> open;
  for (int i = 0; i < 100; ++i) {
    const bool connected = Connects(busy_port, open.emplace_back());
    EXPECT_TRUE(connected) << "connection " << i;
    if (!connected) break;
  }
  for (const int fd : open) close(fd);
  EXPECT_TRUE(httplib::Client("127.0.0.1", port).Get("/health"));  // the other one serves by now, and can be stopped
}

}  // namespace
}  // namespace slowtoken::demo
