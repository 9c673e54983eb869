// Sends the requests of a log at their times, whether or not earlier ones are answered (open loop), and notes what
// comes back. One thread drives all connections through libcurl's multi interface; a timer descriptor wakes it for each
// arrival.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "replay/client_record.h"
#include "replay/request_log.h"
#include "replay/sse_reader.h"

namespace slowtoken::demo {

struct ReplayOptions {
  std::string url = "http://127.0.0.1:8000";
  std::string id_prefix = "r";
  double speed = 1;      // the log's time runs this many times faster
  long timeout_s = 120;  // of one request
};

struct ReplayProgress {
  size_t total = 0, sent = 0, done = 0, failed = 0;
};

class ReplayClient {
 public:
  // `on_done` gets each request's record when it is over; `on_progress` is called often. `stop`, once true, ends the
  // sending.
  ReplayClient(ReplayOptions options, std::function<void(const ClientRecord&)> on_done,
               std::function<void(const ReplayProgress&)> on_progress, std::function<bool()> stop);
  ~ReplayClient();

  // Replays the whole log and waits for the answers.
  ReplayProgress Run(const std::vector<LoggedRequest>& log);

 private:
  struct Transfer {
    ClientRecord record;
    std::string body;
    std::string answer;  // of a refusal
    SseReader events;
    curl_slist* headers = nullptr;
    CURL* handle = nullptr;
    ~Transfer();
  };

  static int OnConnected(void* transfer, char*, char*, int, int);
  static size_t OnBytes(char* bytes, size_t size, size_t count, void* transfer);
  void Send(const LoggedRequest& request, size_t index, TimeNs due);
  void Wait(TimeNs next_due);
  void Collect();
  void Finish(Transfer& transfer, CURLcode code);

  const ReplayOptions options_;
  std::function<void(const ClientRecord&)> on_done_;
  std::function<void(const ReplayProgress&)> on_progress_;
  std::function<bool()> stop_;
  ReplayProgress progress_;
  CURLM* multi_;
  int timer_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // on their way
};

}  // namespace slowtoken::demo
