// Sends one request's answer to its client, output by output, on the connection's thread. Lives from the request's
// arrival to its departure, and holds its `req` range open for that long.
#pragma once

#include <slowtoken/llmserve.h>

#include <memory>
#include <string>
#include <vector>

#include "server/completion_request.h"
#include "server/frontend.h"

namespace httplib {
class DataSink;
}

namespace slowtoken::demo {

class Responder {
 public:
  // The request arrives now.
  Responder(Frontend& frontend, const CompletionRequest& request, const std::string& id);

  bool begun() const { return stream_ != nullptr; }  // false: the id is in use
  void Submit() { frontend_.Submit(stream_); }
  void Reject() { frontend_.Reject(stream_); }

  // Waits for the next output and sends it. False: the client is gone.
  bool SendNext(httplib::DataSink& sink);

  // All is sent, or the client is gone. Only the first call counts.
  void Leave();

 private:
  bool SendEvent(httplib::DataSink& sink, const Output& output);
  bool SendWhole(httplib::DataSink& sink, const Output& output);
  bool Send(httplib::DataSink& sink, const Output& output, const std::string& text);

  Frontend& frontend_;
  const bool streaming_;
  std::shared_ptr<Stream> stream_;
  llmserve::Span life_;
  bool left_ = false;
  std::vector<Output> collected_;  // of an answer that is sent whole
};

}  // namespace slowtoken::demo
