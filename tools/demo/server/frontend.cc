#include "server/frontend.h"

#include <pthread.h>
#include <slowtoken/llmserve.h>

#include <chrono>
#include <utility>

#include "server/jitter_probe.h"

namespace slowtoken::demo {

Frontend::Frontend(const Config& config, Channel& engine, TruthFile& truth, FrontendWatch* watch)
    : config_(config), engine_(engine), truth_(truth), watch_(watch), tokenizers_(config.tokenizer_threads) {}

Frontend::~Frontend() {
  engine_.Close();
  if (receiver_.joinable()) receiver_.join();
}

absl::Status Frontend::WaitReady() {
  const std::optional<std::string> message = engine_.Receive();
  const std::optional<Ready> ready = message ? Decode<Ready>(*message) : std::nullopt;
  if (!ready) return absl::InternalError("the engine ended before it was ready");
  if (!ready->error.empty()) return absl::InternalError(ready->error);
  receiver_ = std::thread([this] { ReceiveLoop(); });
  return absl::OkStatus();
}

std::shared_ptr<Stream> Frontend::Begin(const std::string& id, int64_t n_prompt, int64_t max_new) {
  auto stream = std::make_shared<Stream>();
  stream->id = id;
  stream->n_prompt = n_prompt;
  stream->max_new = max_new;
  stream->truth.id = id;
  const std::lock_guard lock(mutex_);
  return streams_.emplace(id, stream).second ? stream : nullptr;
}

void Frontend::Submit(const std::shared_ptr<Stream>& stream) {
  tokenizers_.Add([this, stream] { Tokenize(*stream); });
}

// A tokenizer's thread. The engine hears of the request unless its client left meanwhile.
void Frontend::Tokenize(Stream& stream) {
  Interval work;
  work.start = NowNs();
  {
    const llmserve::Scope range{llmserve::Step{LLMSERVE_TOKENIZE, stream.id.c_str()}};
    const volatile uint64_t result = TokenizeWork(stream.id, stream.n_prompt, config_.tokenize_rounds);
    (void)result;
  }
  work.end = NowNs();
  if (watch_) watch_->Tokenized(stream.id, stream.truth.arrival, work);
  demo::Submit message{stream.id, stream.n_prompt, stream.max_new};
  std::unique_lock lock(stream.mutex);
  stream.truth.tokenize = work;
  if (!stream.left) {
    stream.submitted = true;
    engine_.Send(Encode(message));
    return;
  }
  stream.truth.finish = FinishReason::kAbort;
  llmserve_finished(stream.id.c_str(), LLMSERVE_FINISH_ABORT);
  lock.unlock();
  EndTruth(stream);
}

void Frontend::Reject(const std::shared_ptr<Stream>& stream) {
  llmserve_finished(stream->id.c_str(), LLMSERVE_FINISH_REJECTED);
  stream->truth.finish = FinishReason::kRejected;
  EndTruth(*stream);
}

std::optional<Output> Frontend::Next(Stream& stream, int wait_ms) {
  std::unique_lock lock(stream.mutex);
  const bool waited = stream.outputs.empty();
  stream.filled.wait_for(lock, std::chrono::milliseconds(wait_ms), [&] { return !stream.outputs.empty(); });
  if (stream.outputs.empty()) return std::nullopt;
  Output output = std::move(stream.outputs.front());
  stream.outputs.pop_front();
  if (waited) JitterProbe::Late(truth_, "sender", output.delivered);
  return output;
}

void Frontend::Sent(Stream& stream, const Output& output, const Interval& send) {
  if (output.n_new == 0) return;
  const std::lock_guard lock(stream.mutex);
  stream.truth.tokens.push_back({output.n, output.n_new, output.commit, send});
}

void Frontend::Leave(Stream& stream) {
  std::unique_lock lock(stream.mutex);
  stream.left = true;
  for (const Output& output : std::exchange(stream.outputs, {}))
    if (output.n_new > 0) stream.truth.tokens.push_back({output.n, output.n_new, output.commit, {}});
  const bool done = stream.engine_done;
  const bool abort = !done && stream.submitted;
  lock.unlock();
  if (done) return EndTruth(stream);
  Abort message{stream.id};
  if (abort) engine_.Send(Encode(message));  // else the tokenizer sees that the client left
}

void Frontend::AbortAll() {
  std::vector<std::string> ids;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, stream] : streams_) ids.push_back(id);
  }
  for (std::string& id : ids) {
    Abort message{std::move(id)};
    engine_.Send(Encode(message));
  }
}

int64_t Frontend::active() {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(streams_.size());
}

void Frontend::ReceiveLoop() {
  pthread_setname_np(pthread_self(), "outputs");
  JitterProbe::Watch("outputs");
  while (std::optional<std::string> message = engine_.Receive()) {
    if (const std::optional<FrontendOrder> order = Decode<FrontendOrder>(*message); order && watch_)
      watch_->Carry(*order);
    std::optional<Outputs> outputs = Decode<Outputs>(*message);
    if (!outputs) continue;
    for (Output& output : outputs->outputs) Deliver(std::move(output));
  }
  // The engine is gone: whoever still waits is told so.
  std::unordered_map<std::string, std::shared_ptr<Stream>> left;
  {
    const std::lock_guard lock(mutex_);
    left = streams_;
  }
  for (const auto& [id, stream] : left) {
    Output output;
    output.id = id;
    output.finish = FinishReason::kError;
    Deliver(std::move(output));
  }
}

void Frontend::Deliver(Output output) {
  const std::shared_ptr<Stream> stream = Find(output.id);
  if (!stream) return;
  std::unique_lock lock(stream->mutex);
  if (stream->engine_done) return;
  if (output.finish != FinishReason::kNone) {
    stream->engine_done = true;
    stream->truth.finish = output.finish;
    stream->truth.queued = output.queued;
    stream->truth.scheduled = output.scheduled;
    stream->truth.iterations = std::move(output.iterations);
    stream->truth.preempted = std::move(output.preempted);
  }
  if (!stream->left) {
    output.delivered = NowNs();
    stream->outputs.push_back(std::move(output));
    lock.unlock();
    stream->filled.notify_one();
    return;
  }
  // Nobody will send it.
  if (output.n_new > 0) stream->truth.tokens.push_back({output.n, output.n_new, output.commit, {}});
  const bool done = stream->engine_done;
  lock.unlock();
  if (done) EndTruth(*stream);
}

// Both sides are done with the request: its line is written and its id is free again.
void Frontend::EndTruth(Stream& stream) {
  if (truth_.enabled()) truth_.Add(ToJson(stream.truth));
  Forget(stream.id);
}

std::shared_ptr<Stream> Frontend::Find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

void Frontend::Forget(const std::string& id) {
  const std::lock_guard lock(mutex_);
  streams_.erase(id);
}

}  // namespace slowtoken::demo
