// The HTTP side: POST /v1/completions (answers as server-sent events, or whole) and GET /health, by cpp-httplib. Each
// open connection has a thread, which is the request's sender: it waits for the engine's outputs, detokenises and sends
// them. A client that goes away aborts its request. Emits `req`, `req.detok` and `req.send`.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/clock.h"
#include "core/config.h"
#include "core/scheduler.h"
#include "server/frontend.h"

namespace httplib {
struct Request;
struct Response;
}  // namespace httplib

namespace slowtoken::demo {

class Listener;

class HttpServer {
 public:
  // `seed` names requests that come without an id. `frontend` must outlive the server.
  HttpServer(const Config& config, uint64_t seed, Frontend& frontend);
  ~HttpServer();

  // Binds 127.0.0.1; port 0 picks a free one. Returns the port, or -1.
  int Bind(int port);

  // Serves until Stop(). Its own thread.
  void Serve();

  // From now on new requests are refused with 503.
  void Drain() { draining_ = true; }

  // Ends Serve; what is still being sent is cut off.
  void Stop();

 private:
  void Complete(const httplib::Request& http, httplib::Response& response);
  std::string NameOf(const httplib::Request& http);

  const Config& config_;
  const uint64_t seed_;
  Frontend& frontend_;
  std::atomic<bool> draining_{false};
  std::atomic<uint64_t> drawn_{0};
  std::unique_ptr<Listener> server_;
};

}  // namespace slowtoken::demo
