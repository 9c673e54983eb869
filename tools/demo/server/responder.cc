#include "server/responder.h"

#include <httplib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/stamp_window.h"

namespace slowtoken::demo {
namespace {

constexpr std::string_view kDone = "data: [DONE]\n\n";  // the end of a stream of events
constexpr int kLookMs = 200;  // how often a waiting connection looks whether its client is still there

std::string FinishJson(FinishReason reason) {
  return reason == FinishReason::kNone ? "null" : absl::StrCat("\"", FinishText(reason), "\"");
}

std::string DetokenizeAll(const std::vector<int32_t>& tokens) {
  std::string text;
  for (const int32_t token : tokens) text += Detokenize(token);
  return text;
}

}  // namespace

Responder::Responder(Frontend& frontend, const CompletionRequest& request, const std::string& id)
    : frontend_(frontend), streaming_(request.stream) {
  stream_ = frontend.Begin(id, request.prompt_tokens, request.max_tokens);
  if (!stream_) return;
  llmserve_req about;
  about.req = id.c_str();
  about.n_prompt = request.prompt_tokens;
  about.max_new = request.max_tokens;
  StampWindow window(frontend.truth());
  stream_->truth.arrival = NowNs();
  life_ = llmserve::Span{llmserve::Request{about}};
  window.Close("arrival");
}

bool Responder::SendNext(httplib::DataSink& sink) {
  const std::optional<Output> output = frontend_.Next(*stream_, kLookMs);
  if (!output) return sink.is_writable();
  const bool sent = streaming_ ? SendEvent(sink, *output) : SendWhole(sink, *output);
  if (!sent || output->finish == FinishReason::kNone) return sent;
  Leave();  // before the client can know that it has all: it may ask again with the same id
  if (streaming_ && !sink.write(kDone.data(), kDone.size())) return false;
  sink.done();
  return true;
}

bool Responder::SendEvent(httplib::DataSink& sink, const Output& output) {
  llmserve_step_push(LLMSERVE_DETOK, stream_->id.c_str(), output.n, output.n_new);
  std::string event =
      absl::StrCat("data: {\"id\":\"", stream_->id, "\",\"n\":", output.n, ",\"n_new\":", output.n_new, ",\"text\":\"",
                   DetokenizeAll(output.tokens), "\",\"finish_reason\":", FinishJson(output.finish), "}\n\n");
  llmserve_pop();
  if (output.finish != FinishReason::kNone && output.n_new == 0) return sink.write(event.data(), event.size());
  return Send(sink, output, event);
}

bool Responder::SendWhole(httplib::DataSink& sink, const Output& output) {
  collected_.push_back(output);
  if (output.finish == FinishReason::kNone) return sink.is_writable();
  Output whole;
  std::vector<int32_t> tokens;
  for (const Output& part : collected_) {
    whole.n = std::max(whole.n, part.n);
    whole.n_new += part.n_new;
    whole.commit = std::max(whole.commit, part.commit);
    whole.tokens.insert(whole.tokens.end(), part.tokens.begin(), part.tokens.end());
  }
  llmserve_step_push(LLMSERVE_DETOK, stream_->id.c_str(), whole.n, whole.n_new);
  const std::string body =
      absl::StrCat("{\"id\":\"", stream_->id, "\",\"tokens\":", whole.n_new, ",\"text\":\"",
                   DetokenizeAll(whole.tokens), "\",\"finish_reason\":", FinishJson(output.finish), "}\n");
  llmserve_pop();
  collected_.clear();
  return Send(sink, whole, body);
}

bool Responder::Send(httplib::DataSink& sink, const Output& output, const std::string& text) {
  frontend_.BeforeSend(*stream_);
  Interval send;
  send.start = NowNs();
  llmserve_step_push(LLMSERVE_SEND, stream_->id.c_str(), output.n, output.n_new);
  const bool sent = sink.write(text.data(), text.size());
  StampWindow window(frontend_.truth());
  llmserve_pop();
  send.end = NowNs();
  window.Close("send");
  frontend_.Sent(*stream_, output, send);
  return sent;
}

void Responder::Leave() {
  if (std::exchange(left_, true)) return;
  for (const Output& unsent : collected_) frontend_.Sent(*stream_, unsent, {});
  frontend_.Leave(*stream_);
  life_.End();
}

}  // namespace slowtoken::demo
