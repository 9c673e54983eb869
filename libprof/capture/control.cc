#include "capture/control.h"

#include <stdio.h>
#include <unistd.h>

#include <cstring>

namespace slowtoken::capture {

bool Control::Init(base::Arena& arena, const Config& config, Pipeline& pipeline, Mark mark) {
  pipeline_ = &pipeline;
  mark_ = mark;
  const trace::FileHeader header = pipeline.identity().header(config);
  char name[64];
  snprintf(name, sizeof name, "%s-%llu-%08x.sock", config.role, static_cast<unsigned long long>(header.pid),
           static_cast<unsigned>(header.pid_start_ticks));
  socket_.Init(config.run_directory, name);
  return server_.Init(arena, socket_, *this) &&
         report_.Init(arena, pipeline.dictionary(), Pipeline::NameLimits(), header);
}

void Control::Answer(const ControlRequest& request, ControlReply& reply) {
  switch (request.verb) {
    case ControlVerb::kStatus:
      return AnswerWithTrace(false, reply);
    case ControlVerb::kMetrics:
      return AnswerWithTrace(true, reply);
    case ControlVerb::kSnapshot:
      return AnswerSnapshot(request.text, reply);
    case ControlVerb::kMark:
      return AnswerMark(request.text, reply);
    case ControlVerb::kPause:
      return AnswerPause(true, reply);
    case ControlVerb::kResume:
      return AnswerPause(false, reply);
    case ControlVerb::kNone:
      break;
  }
  reply.Say(ControlCode::kMalformed, "this version of slowtoken does not know the request");
}

void Control::AnswerWithTrace(bool histograms, ControlReply& reply) {
  reply.Say(ControlCode::kDone, "");
  reply.BeginTrace();
  const auto tell = [](void* pipeline, record::EventVisitor& out, bool all) {
    static_cast<Pipeline*>(pipeline)->TellPresent(out, all);
  };
  report_.Write(tell, pipeline_, histograms, reply);
}

// The round that follows takes it up; without a ring it writes what is there.
void Control::AnswerSnapshot(std::string_view text, ControlReply& reply) {
  const bool fired = pipeline_->Fire(record::TriggerKind::kControl, text);
  reply.Say(ControlCode::kDone,
            fired ? "the flight ring is being dumped" : "what is there is being written to the trace");
}

void Control::AnswerMark(std::string_view text, ControlReply& reply) {
  char copy[kMostControlText + 1];
  if (!text.empty()) memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  if (mark_ != nullptr && mark_(copy)) return reply.Say(ControlCode::kDone, "marked");
  reply.Say(ControlCode::kRefused, "the mark was not recorded: recording is paused, or its memory is full");
}

void Control::AnswerPause(bool pause, ControlReply& reply) {
  pipeline_->Pause(pause);
  reply.Say(ControlCode::kDone, pause ? "recording pauses" : "recording goes on");
}

}  // namespace slowtoken::capture
