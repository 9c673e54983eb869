#include "scenario/frontend_orders.h"

#include <pthread.h>
#include <slowtoken/llmserve.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "scenario/busy.h"
#include "scenario/own_request.h"
#include "scenario/slow_client.h"
#include "server/tokenizer.h"

namespace slowtoken::demo {
namespace {

constexpr int64_t kHitPrompt = 64, kHitAnswer = 4;  // of a request that is sent to be hit
constexpr int64_t kLongAnswer = 64;                 // of the slow client's
constexpr TimeNs kSettle = 50'000'000;              // until everybody hit has passed

}  // namespace

void FrontendOrders::Start(Frontend& frontend) {
  const std::lock_guard lock(mutex_);
  frontend_ = &frontend;
}

void FrontendOrders::Stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    frontend_ = nullptr;
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void FrontendOrders::Carry(const FrontendOrder& order) {
  const std::lock_guard lock(mutex_);
  if (frontend_) threads_.emplace_back([this, order, frontend = frontend_] { Do(order, *frontend); });
}

void FrontendOrders::Do(const FrontendOrder& order, Frontend& frontend) {
  pthread_setname_np(pthread_self(), "scenario");
  switch (order.what) {
    case FrontendOrder::What::kSendRequest:
      return SendOwnRequest(frontend, order.id, order.n_prompt, order.max_new, [](std::string_view) { return true; });
    case FrontendOrder::What::kHoldSenders:
      return HoldSenders(order);
    case FrontendOrder::What::kSlowClient:
      return BeSlowClient(order, frontend);
    case FrontendOrder::What::kLongText:
      return GiveLongText(order, frontend);
  }
}

void FrontendOrders::HoldSenders(const FrontendOrder& order) {
  {
    const std::lock_guard lock(mutex_);
    held_.clear();
    watching_senders_ = true;
  }
  TruthInjection line{"transport_backpressure", "lock", {}, {}};
  {
    const std::lock_guard lock(send_mutex_);
    line.time.start = NowNs();
    SleepFor(order.length);
    line.time.end = NowNs();
  }
  SleepFor(kSettle);
  {
    const std::lock_guard lock(mutex_);
    watching_senders_ = false;
    for (const auto& [id, wait] : held_)
      if (wait.end - wait.start >= order.length / 2) line.requests.push_back(id);
  }
  if (!line.requests.empty()) truth_.Add(ToJson(line));
}

void FrontendOrders::BeforeSend(const std::string& id) {
  Interval wait;
  wait.start = NowNs();
  { const std::lock_guard lock(send_mutex_); }
  wait.end = NowNs();
  const std::lock_guard lock(mutex_);
  if (watching_senders_) held_.emplace(id, wait);
}

void FrontendOrders::BeSlowClient(const FrontendOrder& order, Frontend& frontend) {
  SlowClient client(order.length);
  SendOwnRequest(frontend, order.id, kHitPrompt, kLongAnswer, [&](std::string_view text) { return client.Take(text); });
  TruthInjection line{"transport_backpressure", "client", client.blocked(), {order.id}};
  if (line.time.end > 0) truth_.Add(ToJson(line));
}

// How many tokens keep a tokenizer for `length`. Measured, as it depends on the machine.
int64_t FrontendOrders::TokensFor(TimeNs length) const {
  constexpr int64_t kTried = 2000;
  TimeNs best = length;
  for (int i = 0; i < 3; ++i) {
    const TimeNs start = NowNs();
    const volatile uint64_t result = TokenizeWork("calibration", kTried, config_.tokenize_rounds);
    (void)result;
    best = std::min(best, NowNs() - start);
  }
  return kTried * length / std::max<TimeNs>(1, best);
}

void FrontendOrders::GiveLongText(const FrontendOrder& order, Frontend& frontend) {
  {
    const std::lock_guard lock(mutex_);
    tokenized_.clear();
    watching_tokenizers_ = true;
  }
  const int64_t tokens = TokensFor(order.length);
  std::vector<std::thread> others;
  for (int64_t i = 0; i < config_.tokenizer_threads; ++i)
    others.emplace_back([&, id = absl::StrCat(order.id, "-text", i)] { SendText(frontend, id, tokens); });
  SleepFor(order.length / 10);  // the texts are being worked on
  SendOwnRequest(frontend, order.id, kHitPrompt, kHitAnswer, [](std::string_view) { return true; });
  for (std::thread& other : others) other.join();

  TruthInjection line{"tokenizer", "", {}, {}};
  const std::lock_guard lock(mutex_);
  watching_tokenizers_ = false;
  const std::string text = absl::StrCat(order.id, "-text");
  for (const auto& [id, seen] : tokenized_) {
    if (!id.starts_with(text)) continue;
    line.time.start = std::max(line.time.start, seen.work.start);
    line.time.end = line.time.end == 0 ? seen.work.end : std::min(line.time.end, seen.work.end);
  }
  for (const auto& [id, seen] : tokenized_)
    if (!id.starts_with(text) && seen.arrival < line.time.end && seen.work.start >= line.time.end &&
        line.time.end - std::max(seen.arrival, line.time.start) >= (line.time.end - line.time.start) / 2)
      line.requests.push_back(id);
  if (!line.requests.empty()) truth_.Add(ToJson(line));
}

// A request whose client leaves while its text is worked on.
void FrontendOrders::SendText(Frontend& frontend, const std::string& id, int64_t tokens) {
  const std::shared_ptr<Stream> stream = frontend.Begin(id, tokens, 1);
  if (!stream) return;
  llmserve_req about;
  about.req = id.c_str();
  about.n_prompt = tokens;
  about.max_new = 1;
  stream->truth.arrival = NowNs();
  llmserve::Span life{llmserve::Request{about}};
  frontend.Submit(stream);
  frontend.Leave(*stream);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(60), [&] { return tokenized_.contains(id); });
}

void FrontendOrders::Tokenized(const std::string& id, TimeNs arrival, const Interval& work) {
  const std::lock_guard lock(mutex_);
  if (watching_tokenizers_) tokenized_[id] = {arrival, work};
  changed_.notify_all();
}

}  // namespace slowtoken::demo
