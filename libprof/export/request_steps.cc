#include "export/request_steps.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "analysis/interval.h"

namespace slowtoken::exporting {

using record::AnnotationField;
using record::AnnotationName;
using record::TimeNs;
using Shape = SliceWindow::Shape;

namespace {

// The part of an annotation's name that is a step of its request, or nullptr.
const char* StepOf(AnnotationName name) {
  switch (name) {
    case AnnotationName::kReqTokenize:
      return "tokenize";
    case AnnotationName::kReqDetok:
      return "detokenize";
    case AnnotationName::kReqSend:
      return "send";
    case AnnotationName::kKvSend:
      return "kv.send";
    case AnnotationName::kKvRecv:
      return "kv.recv";
    case AnnotationName::kKvSwap:
      return "kv.swap";
    default:
      return nullptr;
  }
}

const char* KindOf(const record::IterationSummary& iteration) {
  if (iteration.dummy) return "dummy iteration";
  if (!iteration.has_counts()) return "iteration";
  if (iteration.prefill_rows != 0 && iteration.decode_rows != 0) return "mixed iteration";
  return iteration.prefill_rows != 0 ? "prefill iteration" : "decode iteration";
}

template <typename Phases, size_t N>
void AddPhases(EventText& event, const Phases& phases, const char* const (&names)[N]) {
  for (size_t i = 0; i < N; ++i) {
    if (phases[i] != 0) event.Number(names[i], phases[i]);
  }
}

}  // namespace

void RequestSteps::Step(record::RequestId req, const char* name, TimeNs start, TimeNs end) {
  if (!analysis::IsInterval(start, end)) return;
  event_.Start(name, "request");
  window_->Add(tracks_->RequestSteps(req), Shape::kApart, start, end, event_.Bytes());
}

void RequestSteps::On(const record::Annotation& annotation) {
  if (annotation.req() == 0) return;
  if (annotation.kind == record::AnnotationKind::kMark) return OnMark(annotation);
  if (const char* step = StepOf(annotation.name); step != nullptr)
    Step(annotation.req(), step, annotation.start, annotation.end);
}

void RequestSteps::OnMark(const record::Annotation& annotation) {
  Alive& alive = alive_[annotation.req()];
  switch (annotation.name) {
    case AnnotationName::kReqQueued:
      alive.queued_at = annotation.start;
      break;
    case AnnotationName::kReqPreempted:
      alive.preempted_at = annotation.start;
      break;
    case AnnotationName::kReqScheduled:
      if (alive.queued_at != 0) Step(annotation.req(), "queue", alive.queued_at, annotation.start);
      alive.queued_at = 0;
      break;
    case AnnotationName::kReqResumed:
      if (alive.preempted_at != 0) Step(annotation.req(), "preempted", alive.preempted_at, annotation.start);
      alive.preempted_at = 0;
      break;
    case AnnotationName::kReqFinish:
      event_.Start("finish", "request");
      event_.Text("reason", record::kFinishReasonTexts[std::min<size_t>(annotation.Get(AnnotationField::kFinishReason),
                                                                        std::size(record::kFinishReasonTexts) - 1)]);
      if (analysis::IsTime(annotation.start)) {
        writer_->Event(perfetto::TrackEvent::TYPE_INSTANT, tracks_->RequestSteps(annotation.req()), annotation.start,
                       event_.Bytes());
      }
      break;
    default:
      break;
  }
}

void RequestSteps::On(const record::GapSummary& gap) {
  const TimeNs end = gap.start + gap.gap_ns;
  if (!analysis::IsInterval(gap.start, end)) return;
  Alive& alive = alive_[gap.req];
  alive.last_gap_end = std::max(alive.last_gap_end, end);
  event_.Start(gap.is_stall ? "stall" : "gap", "token").Number("token", gap.n).Number("n_new", gap.n_new);
  AddPhases(event_, gap.phases, record::kGapPhaseNames);
  if (gap.is_stall) {
    event_.Text("largest_phase",
                record::kGapPhaseNames[static_cast<size_t>(gap.largest_phase) % record::kGapPhaseCount]);
    event_.Number("excess", gap.excess_ns);
    event_.Text("cause", record::kCauseNames[static_cast<size_t>(gap.finding.cause) % record::kCauseCount]);
  }
  if (gap.has_interference) event_.Number("interference_est", gap.interference_est_ns);
  window_->Add(tracks_->Request(gap.req), Shape::kNested, gap.start, end, event_.Bytes());
}

void RequestSteps::On(const record::RequestSummary& summary) {
  TimeNs end = std::max(summary.end, summary.arrival);
  if (const auto alive = alive_.find(summary.req); alive != alive_.end()) {
    end = std::max(end, alive->second.last_gap_end);
    alive_.erase(alive);
  }
  if (!analysis::IsInterval(summary.arrival, end)) return;
  event_.Start("request", "request")
      .Number("prompt", summary.prompt)
      .Number("cached", summary.cached)
      .Number("tokens", summary.tokens);
  event_.Text("finish", record::kFinishReasonTexts[std::min<size_t>(static_cast<size_t>(summary.finish),
                                                                    std::size(record::kFinishReasonTexts) - 1)]);
  event_.Number("gpu_share_ns", summary.gpu_share_ns);
  const TrackId track = tracks_->Request(summary.req);
  window_->Add(track, Shape::kNested, summary.arrival, end, event_.Bytes());
  const TimeNs first_token = summary.arrival + summary.ttft_ns;
  if (!summary.has_ttft || !analysis::IsInterval(summary.arrival, first_token)) return;
  event_.Start("time to first token", "token");
  AddPhases(event_, summary.ttft_phases, record::kTtftPhaseNames);
  window_->Add(track, Shape::kNested, summary.arrival, std::min(first_token, end), event_.Bytes());
}

void RequestSteps::On(const record::IterationSummary& iteration) {
  if (!analysis::IsInterval(iteration.start, iteration.end)) return;
  event_.Start(KindOf(iteration), "iteration").Number("iter", iteration.key.iter).Number("kernels", iteration.kernels);
  event_.Number("graph_launches", iteration.graph_launches);
  if (iteration.has_counts()) {
    event_.Number("prefill", iteration.prefill_rows)
        .Number("decode", iteration.decode_rows)
        .Number("prefill_tok", iteration.prefill_tokens);
  }
  window_->Add(tracks_->Iterations(iteration.process, iteration.key), Shape::kApart, iteration.start, iteration.end,
               event_.Bytes());
  AddGpuWork(iteration);
  AddCounters(iteration);
}

void RequestSteps::AddGpuWork(const record::IterationSummary& iteration) {
  if (iteration.gpu_start == 0 || !analysis::IsInterval(iteration.gpu_start, iteration.gpu_end)) return;
  event_.Start("GPU work", "iteration").Number("iter", iteration.key.iter).Number("busy_ns", iteration.gpu_busy_ns);
  window_->Add(tracks_->IterationsGpu(iteration.process, iteration.key), Shape::kApart, iteration.gpu_start,
               iteration.gpu_end, event_.Bytes());
  for (const record::BatchRow& row : iteration.rows) {
    if (row.kind == record::RowKind::kDecode || row.req == 0) continue;
    Step(row.req,
         row.kind == record::RowKind::kRecompute ? "recompute"
         : row.kind == record::RowKind::kVerify  ? "verify"
                                                 : "prefill",
         iteration.gpu_start, iteration.gpu_end);
  }
}

void RequestSteps::AddCounters(const record::IterationSummary& iteration) {
  const auto counter = [&](uint32_t bit, const char* what, uint64_t value) {
    if ((iteration.present & bit) == 0) return;
    writer_->Counter(tracks_->Counter(iteration.process, iteration.key, what), iteration.start,
                     static_cast<int64_t>(value));
  };
  counter(1, "KV blocks used", iteration.kv_used);
  counter(4, "requests waiting", iteration.waiting);
}

void RequestSteps::Finish(TimeNs end) {
  for (const auto& [req, alive] : alive_) {
    if (alive.queued_at != 0) Step(req, "queue", alive.queued_at, end);
    if (alive.preempted_at != 0) Step(req, "preempted", alive.preempted_at, end);
  }
}

}  // namespace slowtoken::exporting
