// What the demo's parts tell each other: frontend -> scheduler -> GPU worker, and back. With --split they are
// processes. Plain data; the first byte of an encoded message is its kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/codec.h"
#include "core/request.h"

namespace slowtoken::demo {

// Frontend to scheduler: a tokenised request.
struct Submit {
  static constexpr char kKind = 'S';
  std::string id;
  int64_t n_prompt = 0, max_new = 0;
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(id, n_prompt, max_new);
  }
};

// Frontend to scheduler: the client is gone.
struct Abort {
  static constexpr char kKind = 'A';
  std::string id;
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(id);
  }
};

// The part named by the sender's end of the channel is ready, or cannot start (error says why).
struct Ready {
  static constexpr char kKind = 'R';
  std::string error;
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(error);
  }
};

// What one iteration did for one request. The last output of a request carries `finish` and its history.
struct Output {
  std::string id;
  int64_t n = 0, n_new = 0, iter = 0;  // n_new 0: no token, only the end
  TimeNs commit = 0;
  std::vector<int32_t> tokens;
  FinishReason finish = FinishReason::kNone;
  TimeNs queued = 0, scheduled = 0;
  std::vector<int64_t> iterations;
  std::vector<Interval> preempted;
  TimeNs delivered = 0;  // the frontend's own: when its connection was woken
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(id, n, n_new, iter, commit, tokens, finish, queued, scheduled, iterations, preempted);
  }
};

// Scheduler to frontend.
struct Outputs {
  static constexpr char kKind = 'O';
  std::vector<Output> outputs;
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(outputs);
  }
};

// Scheduler to frontend: what a scenario wants done there (scenario/frontend_orders.h).
struct FrontendOrder {
  static constexpr char kKind = 'F';
  enum class What : uint8_t { kSendRequest, kHoldSenders, kSlowClient, kLongText };
  What what = What::kSendRequest;
  std::string id;  // of the request that is sent or whose text it is
  int64_t n_prompt = 0, max_new = 0;
  TimeNs length = 0;  // how long senders, the client or the tokenizer are kept
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(what, id, n_prompt, max_new, length);
  }
};

// What a scenario wants done by the GPU worker in one iteration (scenario/worker_orders.h).
struct WorkerOrder {
  int64_t scenario = 0, variant = 0;
  TimeNs length = 0;
  int64_t number = 0;  // graph_miss: the bucket whose graph is lost; backlog: the number of the iteration in front
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(scenario, variant, length, number);
  }
};

struct PlanRow {
  std::string id;
  int64_t n_tok = 0, context = 0;  // context: tokens in the cache before this iteration
  int64_t n_answer = 0;            // tokens of the answer so far
  char kind = 'd';
  bool yields = false;
  std::vector<int32_t> blocks;
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(id, n_tok, context, n_answer, kind, yields, blocks);
  }
};

// Scheduler to GPU worker: one iteration.
struct Plan {
  static constexpr char kKind = 'P';
  int64_t iter = 0, kv_used = 0, kv_total = 0, waiting = 0;
  int64_t bucket = 0;  // decode graph to replay; 0: launch eagerly
  bool mixed = false;
  std::vector<PlanRow> rows;
  std::vector<WorkerOrder> orders;
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(iter, kv_used, kv_total, waiting, bucket, mixed, rows, orders);
  }
};

// GPU worker to scheduler: the tokens of each row, and when things happened.
struct RowResult {
  std::vector<int32_t> tokens;  // as many as the row yields; empty if it does not
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(tokens);
  }
};

struct PlanResult {
  static constexpr char kKind = 'T';
  std::string error;  // empty: done
  int64_t iter = 0, kernels = 0;
  bool graph = false;
  Interval forward, sample, gpu, gpu_sample;
  std::vector<RowResult> rows;
  std::vector<Interval> orders;  // when each of the plan's orders was carried out; zeros: it could not be
  template <typename Archive>
  void Visit(Archive& archive) {
    archive(error, iter, kernels, graph, forward, sample, gpu, gpu_sample, rows, orders);
  }
};

template <typename Message>
std::string Encode(Message& message) {
  Encoder encoder;
  char kind = Message::kKind;
  encoder(kind, message);
  return encoder.Take();
}

// The message if `bytes` hold one of this type, whole.
template <typename Message>
std::optional<Message> Decode(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != Message::kKind) return std::nullopt;
  Message message;
  Decoder decoder(bytes.substr(1));
  decoder(message);
  if (!decoder.ok()) return std::nullopt;
  return message;
}

}  // namespace slowtoken::demo
