// Control: what the requests of the control socket do in this process. Made by the session in its arena; polled by the
// worker before each round and at least four times a second. The worker's thread, except ForgetInChild.
#pragma once

#include "capture/control_server.h"
#include "capture/live_report.h"
#include "capture/pipeline.h"

namespace slowtoken::capture {

class Control final : public ControlHandler {
 public:
  // Puts a mark of slowtoken's own into the trace. False: not now.
  using Mark = bool (*)(const char* text);

  // Takes 1.9 MB of the arena. False when that does not fit. Everything given is borrowed.
  bool Init(base::Arena& arena, const Config& config, Pipeline& pipeline, Mark mark);

  // True when a request was carried out: a round should follow.
  bool Poll() { return server_.Poll(base::MonotonicNow()) != 0; }
  void Close() { server_.Close(); }
  void ForgetInChild() { server_.ForgetInChild(); }

  void Answer(const ControlRequest& request, ControlReply& reply) override;

 private:
  void AnswerWithTrace(bool histograms, ControlReply& reply);
  void AnswerSnapshot(std::string_view text, ControlReply& reply);
  void AnswerMark(std::string_view text, ControlReply& reply);
  void AnswerPause(bool pause, ControlReply& reply);

  Pipeline* pipeline_ = nullptr;
  Mark mark_ = nullptr;
  ControlSocket socket_;
  ControlServer server_;
  LiveReport report_;
};

}  // namespace slowtoken::capture
