#include "replay/replay_client.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"

namespace slowtoken::demo {
namespace {

using nlohmann::json;
constexpr int kWakeMs = 100;  // at the latest, for progress and the stop flag

// Reads one event of a streamed answer; false if it carries no tokens.
bool ReadEvent(std::string_view data, ClientRecord& record) {
  const json event = json::parse(data, nullptr, false);
  if (!event.is_object()) return false;  // "[DONE]"
  if (const auto finish = event.find("finish_reason"); finish != event.end() && finish->is_string())
    record.finish = finish->get<std::string>();
  const int64_t n_new = event.value("n_new", int64_t{0});
  record.tokens += n_new;
  return n_new > 0;
}

}  // namespace

ReplayClient::Transfer::~Transfer() {
  curl_slist_free_all(headers);
  curl_easy_cleanup(handle);
}

ReplayClient::ReplayClient(ReplayOptions options, std::function<void(const ClientRecord&)> on_done,
                           std::function<void(const ReplayProgress&)> on_progress, std::function<bool()> stop)
    : options_(std::move(options)),
      on_done_(std::move(on_done)),
      on_progress_(std::move(on_progress)),
      stop_(std::move(stop)) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  multi_ = curl_multi_init();
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

ReplayClient::~ReplayClient() {
  for (const std::unique_ptr<Transfer>& transfer : transfers_) curl_multi_remove_handle(multi_, transfer->handle);
  transfers_.clear();
  curl_multi_cleanup(multi_);
  close(timer_);
}

ReplayProgress ReplayClient::Run(const std::vector<LoggedRequest>& log) {
  progress_.total = log.size();
  const TimeNs start = NowNs();
  const auto due = [&](size_t i) { return start + static_cast<TimeNs>(log[i].arrival_s / options_.speed * 1e9); };
  while ((progress_.sent < log.size() && !stop_()) || !transfers_.empty()) {
    for (; progress_.sent < log.size() && !stop_() && due(progress_.sent) <= NowNs(); ++progress_.sent)
      Send(log[progress_.sent], progress_.sent, due(progress_.sent));
    Collect();
    on_progress_(progress_);
    Wait(progress_.sent < log.size() ? due(progress_.sent) : 0);
  }
  return progress_;
}

size_t ReplayClient::OnBytes(char* bytes, size_t size, size_t count, void* pointer) {
  const TimeNs now = NowNs();
  Transfer& transfer = *static_cast<Transfer*>(pointer);
  const std::string_view piece(bytes, size * count);
  if (transfer.record.status == 0) curl_easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &transfer.record.status);
  if (transfer.record.status != 200) transfer.answer += piece;
  transfer.events.Feed(piece, [&](std::string_view data) {
    if (ReadEvent(data, transfer.record)) transfer.record.chunks.push_back(now);
  });
  return piece.size();
}

// The connection is open and the request goes out now.
int ReplayClient::OnConnected(void* pointer, char*, char*, int, int) {
  static_cast<Transfer*>(pointer)->record.connected = NowNs();
  return CURL_PREREQFUNC_OK;
}

void ReplayClient::Send(const LoggedRequest& request, size_t index, TimeNs due) {
  auto transfer = std::make_unique<Transfer>();
  transfer->record.id = absl::StrCat(options_.id_prefix, "-", absl::Dec(index + 1, absl::kZeroPad6));
  transfer->record.due = due;
  transfer->body = json{
      {"prompt_tokens", std::max<int64_t>(1, request.prompt_tokens)},
      {"max_tokens", std::max<int64_t>(1, request.answer_tokens)},
      {"stream", true}}.dump();
  transfer->headers = curl_slist_append(nullptr, "content-type: application/json");
  transfer->headers = curl_slist_append(transfer->headers, absl::StrCat("x-request-id: ", transfer->record.id).c_str());
  transfer->headers = curl_slist_append(transfer->headers, "expect:");
  CURL* const handle = transfer->handle = curl_easy_init();
  curl_easy_setopt(handle, CURLOPT_URL, absl::StrCat(options_.url, "/v1/completions").c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, transfer->headers);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, transfer->body.c_str());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &ReplayClient::OnBytes);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer.get());
  curl_easy_setopt(handle, CURLOPT_PRIVATE, transfer.get());
  curl_easy_setopt(handle, CURLOPT_TIMEOUT, options_.timeout_s);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, &ReplayClient::OnConnected);
  curl_easy_setopt(handle, CURLOPT_PREREQDATA, transfer.get());
  transfer->record.send = NowNs();
  curl_multi_add_handle(multi_, handle);
  int running = 0;
  curl_multi_perform(multi_, &running);
  transfers_.push_back(std::move(transfer));
}

// Sleeps until bytes come, the next request is due, or a while has passed.
void ReplayClient::Wait(TimeNs next_due) {
  itimerspec at{};
  at.it_value = {next_due / 1'000'000'000, next_due % 1'000'000'000};
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
  curl_waitfd extra{timer_, CURL_WAIT_POLLIN, 0};
  curl_multi_poll(multi_, &extra, 1, kWakeMs, nullptr);
}

void ReplayClient::Collect() {
  int running = 0, left = 0;
  curl_multi_perform(multi_, &running);
  while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Transfer* transfer = nullptr;
    const CURLcode code = message->data.result;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    curl_multi_remove_handle(multi_, transfer->handle);
    Finish(*transfer, code);
    std::erase_if(transfers_, [&](const auto& held) { return held.get() == transfer; });
  }
}

void ReplayClient::Finish(Transfer& transfer, CURLcode code) {
  ClientRecord& record = transfer.record;
  curl_easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &record.status);
  if (code != CURLE_OK) record.error = curl_easy_strerror(code);
  if (code == CURLE_OK && record.status != 200) record.error = transfer.answer;
  ++progress_.done;
  if (!record.error.empty() || record.finish.empty()) ++progress_.failed;
  on_done_(record);
}

}  // namespace slowtoken::demo
