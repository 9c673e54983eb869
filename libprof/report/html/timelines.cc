#include "report/html/timelines.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "analysis/interval.h"
#include "analysis/text_safety.h"
#include "report/units.h"

namespace slowtoken::report::html {

using record::AnnotationName;

Timelines::Timelines(const record::Dictionary& dictionary, record::TimeNs origin, const std::vector<Window>& windows,
                     std::vector<std::string> processes)
    : dictionary_(&dictionary), origin_(origin), names_(dictionary), processes_(std::move(processes)) {
  for (const Window& window : windows) {
    Moment& moment = moments_.emplace_back();
    moment.start = origin + window.start_ns;
    moment.end = origin + window.end_ns;
    moment.reqs = window.reqs;
    moment.reqs.resize(std::min(moment.reqs.size(), kMostRequests));
    moment.requests = window.reqs.size();
    first_ = std::min(first_, moment.start);
    last_ = std::max(last_, moment.end);
    for (const record::RequestId req : moment.reqs) marks_[req];
  }
}

template <typename NameOf>
void Timelines::Add(const LaneKey& key, Span span, NameOf name_of) {
  if (span.end <= first_ || span.start >= last_ || !analysis::IsInterval(span.start, span.end)) return;
  for (Moment& moment : moments_) {
    if (span.end <= moment.start || span.start >= moment.end) continue;
    moment.lanes[key].Add({std::max(span.start, moment.start), std::min(span.end, moment.end), name_of()});
  }
}

template <typename NameOf>
void Timelines::AddToRequest(record::RequestId req, Row row, Span span, NameOf name_of) {
  if (!marks_.contains(req) || !analysis::IsInterval(span.start, span.end)) return;
  for (Moment& moment : moments_) {
    const auto place = std::find(moment.reqs.begin(), moment.reqs.end(), req);
    if (place == moment.reqs.end() || span.end <= moment.start || span.start >= moment.end) continue;
    const LaneKey key{Group::kRequest, 0, static_cast<uint64_t>(place - moment.reqs.begin()), row};
    moment.lanes[key].Add({std::max(span.start, moment.start), std::min(span.end, moment.end), name_of()});
  }
}

void Timelines::AddGpuWork(record::LaneId lane, Span span, uint32_t name) {
  const record::ProcessIndex process = dictionary_->lane(lane).process;
  Add({Group::kStream, process, lane, Row::kMain}, span, [&] { return name; });
  if (names_.IsCollective(name)) Add({Group::kCollective, process, lane, Row::kMain}, span, [&] { return name; });
}

void Timelines::On(const record::Kernel& kernel) {
  if (kernel.end <= first_ || kernel.start >= last_) return;
  AddGpuWork(kernel.lane, {kernel.start, kernel.end}, names_.OfKernel(kernel.shape));
}

void Timelines::On(const record::Memcpy& copy) {
  if (copy.end <= first_ || copy.start >= last_) return;
  const char* direction = copy.copy_kind == record::CopyKind::kHtoD   ? "copy to the GPU, "
                          : copy.copy_kind == record::CopyKind::kDtoH ? "copy from the GPU, "
                                                                      : "copy, ";
  AddGpuWork(copy.lane, {copy.start, copy.end}, names_.Of(absl::StrCat(direction, Bytes(copy.bytes)), "copy"));
}

void Timelines::On(const record::Memset& set) {
  if (set.end <= first_ || set.start >= last_) return;
  AddGpuWork(set.lane, {set.start, set.end}, names_.Of(absl::StrCat("memset, ", Bytes(set.bytes)), "copy"));
}

void Timelines::On(const record::GraphLaunch& graph) {
  if (graph.end <= first_ || graph.start >= last_) return;
  AddGpuWork(graph.lane, {graph.start, graph.end}, names_.Of(absl::StrCat("graph ", graph.graph_id), "graph"));
}

void Timelines::On(const record::ApiCall& call) {
  Add({Group::kApi, call.process, call.thread, Row::kMain}, {call.start, call.end},
      [&] { return names_.OfText(call.name, "api", "a CUDA call"); });
}

void Timelines::On(const record::Annotation& annotation) {
  roles_.Add(annotation);
  if (annotation.kind == record::AnnotationKind::kMark) {
    const auto request = marks_.find(annotation.req());
    if (request != marks_.end()) request->second.emplace_back(annotation.start, annotation.name);
    return;
  }
  if (annotation.name == AnnotationName::kReq) return;  // it spans everything
  const char* name = record::kAnnotationTexts[static_cast<size_t>(annotation.name)];
  const Span span{annotation.start, annotation.end};
  Add({Group::kThread, annotation.process, annotation.thread, Row::kMain}, span,
      [&] { return names_.Of(name, "range"); });
  if (annotation.req() != 0) AddToRequest(annotation.req(), Row::kBelow, span, [&] { return names_.Of(name, "step"); });
}

void Timelines::On(const record::NvtxDomainInfo& domain) {
  const std::string_view name = dictionary_->text(domain.name);
  if (name == record::kNcclDomain || name == record::kCollectiveDomain)
    collective_domains_.emplace(domain.process, domain.domain);
}

// "ncclAllReduce, 4.00 MiB". What an import says of a kernel stands on no thread.
void Timelines::AddCollective(const record::NvtxRange& range) {
  Add({Group::kCollectiveCall, range.process, range.thread, Row::kMain}, {range.start, range.end}, [&] {
    std::string name(dictionary_->text(range.message));
    for (const record::PayloadField& field : range.fields) {
      if (dictionary_->text(field.name).starts_with("Message size")) absl::StrAppend(&name, ", ", Bytes(field.bits));
    }
    return names_.Of(name, "collective");
  });
}

void Timelines::On(const record::NvtxRange& range) {
  if (collective_domains_.contains({range.process, range.domain})) AddCollective(range);
  if (range.thread == 0) return;  // it is about a stream
  Add({Group::kThread, range.process, range.thread, Row::kMain}, {range.start, range.end},
      [&] { return names_.OfText(range.message, "range", "a range without a name"); });
}

void Timelines::On(const record::OffCpu& off) {
  const bool waited = off.reason == record::OffCpuReason::kPreempted;
  Add({Group::kThread, off.process, off.thread, Row::kBelow}, {off.start, off.end},
      [&] { return names_.Of(waited ? "could run and had no CPU" : "blocked", waited ? "no_cpu" : "blocked"); });
}

void Timelines::On(const record::ThreadInfo& thread) { thread_names_[{thread.process, thread.thread}] = thread.name; }

void Timelines::On(const record::RequestIdText& text) {
  if (marks_.contains(text.req)) request_texts_.Add(text);
}

void Timelines::Add(const record::RequestSummary& summary) {
  if (!summary.has_ttft) return;
  AddToRequest(summary.req, Row::kMain, {summary.arrival, summary.arrival + summary.ttft_ns},
               [&] { return names_.Of("to the first token", summary.is_slow ? "slow" : "token"); });
}

void Timelines::Add(const record::GapSummary& gap) {
  AddToRequest(gap.req, Row::kMain, {gap.start, gap.start + gap.gap_ns},
               [&] { return names_.Of(absl::StrCat("token ", gap.n), gap.is_stall ? "slow" : "token"); });
}

void Timelines::Add(const record::IterationSummary& iteration) {
  const uint64_t id = static_cast<uint64_t>(iteration.key.engine) << 32 | iteration.key.dp_rank;
  Add({Group::kIterations, 0, id, Row::kMain}, {iteration.start, iteration.end}, [&] {
    std::string name = absl::StrCat("iteration ", iteration.key.iter);
    if (iteration.prefill_rows != 0)
      absl::StrAppend(&name, ", prefill of ", iteration.prefill_rows, " (", iteration.prefill_tokens, " tokens)");
    if (iteration.decode_rows != 0) absl::StrAppend(&name, ", decode of ", iteration.decode_rows);
    return names_.Of(name, iteration.graph ? "graph" : "eager");
  });
  if (iteration.gpu_start == 0) return;
  Add({Group::kIterations, 0, id, Row::kBelow}, {iteration.gpu_start, iteration.gpu_end},
      [&] { return names_.Of(absl::StrCat("GPU work of iteration ", iteration.key.iter), "gpu"); });
  AddRows(iteration);
}

void Timelines::AddRows(const record::IterationSummary& iteration) {
  for (const record::BatchRow& row : iteration.rows) {
    const bool decode = row.kind == record::RowKind::kDecode || row.kind == record::RowKind::kVerify;
    AddToRequest(row.req, Row::kBelow, {iteration.gpu_start, iteration.gpu_end}, [&] {
      return names_.Of(
          absl::StrCat(decode ? "decode" : "prefill", " of ", row.n_tok, " in iteration ", iteration.key.iter),
          decode ? "decode" : "prefill");
    });
  }
}

// From queued to scheduled, from preempted to resumed.
void Timelines::AddWaits() {
  for (auto& [req, marks] : marks_) {
    std::sort(marks.begin(), marks.end());
    record::TimeNs queued = 0, preempted = 0;
    for (const auto& [time, name] : marks) {
      if (name == AnnotationName::kReqQueued) queued = time;
      if (name == AnnotationName::kReqPreempted) preempted = time;
      if (name == AnnotationName::kReqScheduled && queued != 0) {
        AddToRequest(req, Row::kBelow, {std::exchange(queued, 0), time},
                     [&] { return names_.Of("in the queue", "queue"); });
      }
      if (name == AnnotationName::kReqResumed && preempted != 0) {
        AddToRequest(req, Row::kBelow, {std::exchange(preempted, 0), time},
                     [&] { return names_.Of("preempted", "slow"); });
      }
    }
  }
}

}  // namespace slowtoken::report::html
