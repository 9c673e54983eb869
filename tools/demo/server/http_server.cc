#include "server/http_server.h"

#include <httplib.h>
#include <pthread.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/completion_request.h"
#include "server/responder.h"

namespace slowtoken::demo {
namespace {

void Refuse(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content(nlohmann::json{{"error", {{"message", message}}}}.dump() + "\n", "application/json");
}

}  // namespace

// cpp-httplib lets five connections wait to be accepted; in a burst of requests the others would be reset.
class Listener final : public httplib::Server {
 public:
  void LetMoreWait() const { ::listen(svr_sock_, 1024); }
};

HttpServer::HttpServer(const Config& config, uint64_t seed, Frontend& frontend)
    : config_(config), seed_(seed), frontend_(frontend), server_(std::make_unique<Listener>()) {
  const size_t threads = static_cast<size_t>(config.http_threads);
  server_->new_task_queue = [threads] { return new httplib::ThreadPool(threads); };  // httplib deletes it
  server_->set_tcp_nodelay(true);
  server_->set_keep_alive_max_count(1);  // a connection a request: an idle one would hold a sender thread
  server_->Get("/health", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok\n", "text/plain");
  });
  server_->Post("/v1/completions",
                [this](const httplib::Request& request, httplib::Response& response) { Complete(request, response); });
}

HttpServer::~HttpServer() = default;

int HttpServer::Bind(int port) {
  int bound = port;
  if (port == 0) {
    bound = server_->bind_to_any_port("127.0.0.1");
  } else if (!server_->bind_to_port("127.0.0.1", port)) {
    bound = -1;
  }
  if (bound > 0) server_->LetMoreWait();
  return bound;
}

void HttpServer::Serve() { server_->listen_after_bind(); }

void HttpServer::Stop() { server_->stop(); }

std::string HttpServer::NameOf(const httplib::Request& http) {
  if (http.has_header("x-request-id")) return http.get_header_value("x-request-id");
  return absl::StrFormat("cmpl-%x-%d", seed_, drawn_.fetch_add(1) + 1);
}

void HttpServer::Complete(const httplib::Request& http, httplib::Response& response) {
  if (draining_) return Refuse(response, 503, "the server is shutting down");
  const absl::StatusOr<CompletionRequest> request = ParseCompletionRequest(http.body);
  if (!request.ok()) return Refuse(response, 400, std::string(request.status().message()));
  const std::string id = NameOf(http);
  if (!IsUsableId(id))
    return Refuse(response, 400, "x-request-id must be 1 to 128 visible characters without | , ; : = \" \\");
  auto responder = std::make_shared<Responder>(frontend_, *request, id);
  if (!responder->begun()) return Refuse(response, 409, absl::StrCat("request id ", id, " is in use"));
  const int64_t most = config_.kv_blocks * config_.block_tokens - config_.speculative_tokens;
  if (request->prompt_tokens + request->max_tokens > most) {
    responder->Reject();
    return Refuse(response, 400, absl::StrCat("prompt_tokens and max_tokens exceed the KV cache of ", most, " tokens"));
  }
  responder->Submit();
  response.set_header("x-request-id", id);
  // httplib calls the first function until it returns false or has called done(), then the second; both on this thread.
  response.set_chunked_content_provider(
      request->stream ? "text/event-stream" : "application/json",
      [responder](size_t, httplib::DataSink& sink) { return responder->SendNext(sink); },
      [responder](bool) { responder->Leave(); });
}

}  // namespace slowtoken::demo
