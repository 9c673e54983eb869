// The frontend between HTTP and the engine: knows every request until its client and the engine are done with it,
// tokenises prompts, hands the engine's outputs to the connection that waits for them, and writes each request's truth
// line. Begin, Next, Sent, Leave: the connection's thread. Own threads: the tokenizers and one receiver.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/channel.h"
#include "core/config.h"
#include "core/messages.h"
#include "core/truth.h"
#include "server/tokenizer.h"

namespace slowtoken::demo {

// One request in the frontend. Shared by its connection, the tokenizer and the receiver; `mutex` guards all but the
// ids.
struct Stream {
  std::string id;
  int64_t n_prompt = 0, max_new = 0;

  std::mutex mutex;
  std::condition_variable filled;
  std::deque<Output> outputs;  // not yet taken by the connection
  TruthRequest truth;
  bool submitted = false;    // the engine knows it
  bool left = false;         // the connection is done with it, or its client is gone
  bool engine_done = false;  // no more outputs will come
};

// What a scenario sees of the frontend and does there.
class FrontendWatch {
 public:
  virtual ~FrontendWatch() = default;
  virtual void Carry(const FrontendOrder& order) = 0;  // the receiver's thread; must not block
  virtual void BeforeSend(const std::string& id) = 0;  // the connection's thread
  virtual void Tokenized(const std::string& id, TimeNs arrival, const Interval& work) = 0;  // a tokenizer's thread
};

class Frontend {
 public:
  // All must outlive the frontend. `watch`: where a scenario runs, else nullptr.
  Frontend(const Config& config, Channel& engine, TruthFile& truth, FrontendWatch* watch = nullptr);
  ~Frontend();

  // Waits for the engine to be ready; an error if it cannot start. Then starts the receiver.
  absl::Status WaitReady();

  // Takes in a request; nullptr if its id is in use. The connection sets truth.arrival before Submit or Reject.
  std::shared_ptr<Stream> Begin(const std::string& id, int64_t n_prompt, int64_t max_new);

  // Sends it to a tokenizer, and on to the engine.
  void Submit(const std::shared_ptr<Stream>& stream);

  // A request that can never run: ends it at once, with finish reason `rejected`.
  void Reject(const std::shared_ptr<Stream>& stream);

  // The next output, waiting up to `wait_ms`; none if none came.
  std::optional<Output> Next(Stream& stream, int wait_ms);

  // An output is about to be sent.
  void BeforeSend(const Stream& stream) {
    if (watch_) watch_->BeforeSend(stream.id);
  }

  // Books an output as sent to the client, or (interval of zeros) as never sent.
  void Sent(Stream& stream, const Output& output, const Interval& send);

  // The connection is done: all was sent, or the client is gone, which aborts the request.
  void Leave(Stream& stream);

  // Asks the engine to abort every request.
  void AbortAll();

  int64_t active();

  TruthFile& truth() { return truth_; }

 private:
  void ReceiveLoop();
  void Deliver(Output output);
  void Tokenize(Stream& stream);
  void EndTruth(Stream& stream);
  std::shared_ptr<Stream> Find(const std::string& id);
  void Forget(const std::string& id);

  const Config& config_;
  Channel& engine_;
  TruthFile& truth_;
  FrontendWatch* const watch_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Stream>> streams_;
  std::thread receiver_;
  TokenizerPool tokenizers_;
};

}  // namespace slowtoken::demo
