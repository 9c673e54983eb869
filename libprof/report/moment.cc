#include "report/moment.h"

#include <algorithm>

#include "analysis/interval.h"
#include "analysis/kernel_names.h"
#include "analysis/text_safety.h"
#include "attribution/iteration.h"
#include "attribution/thread_activity.h"
#include "report/json.h"

namespace slowtoken::report {
namespace {

bool IsWork(record::AnnotationName name) { return name >= record::AnnotationName::kKvAlloc; }

}  // namespace

uint64_t Moment::Within(record::TimeNs start, record::TimeNs end) const {
  if (!analysis::IsInterval(start, end)) return 0;
  const record::TimeNs from = std::max(start, window_.start), to = std::min(end, window_.end);
  return from < to ? to - from : 0;
}

void Moment::On(const record::Kernel& kernel) {
  const uint64_t ns = Within(kernel.start, kernel.end);
  if (ns == 0) return;
  kernels_[dictionary_->shape(kernel.shape).name] += ns;
  if (const std::string* path = paths_.Of(kernel.process, kernel.graph_id, kernel.graph_node_id))
    captured_ranges_[analysis::WithoutNumbers(*path)] += ns;
  const record::TimeNs from = std::max(kernel.start, window_.start), to = std::min(kernel.end, window_.end);
  gpu_.Add(from, to, 0);
  if (kernel.graph_id != 0) graphs_.Add(from, to, 0);
}

void Moment::On(const record::GraphLaunch& graph) {
  if (Within(graph.start, graph.end) == 0) return;
  const record::TimeNs from = std::max(graph.start, window_.start), to = std::min(graph.end, window_.end);
  gpu_.Add(from, to, 0);
  graphs_.Add(from, to, 0);
  replays_.Add(from, to, 0);
}

void Moment::AddRange(record::ProcessIndex process, record::ThreadId thread, std::string name, record::TimeNs start,
                      record::TimeNs end) {
  const uint64_t ns = Within(start, end);
  if (ns != 0) threads_[{process, thread}].ranges[std::move(name)] += ns;
}

void Moment::On(const record::Annotation& annotation) {
  roles_.Add(annotation);
  life_.Add(annotation);
  if (annotation.kind == record::AnnotationKind::kMark) return;
  if (annotation.name == record::AnnotationName::kReq) return;  // it spans everything
  if (IsWork(annotation.name) && Within(annotation.start, annotation.end) != 0) work_.push_back(annotation);
  AddRange(annotation.process, annotation.thread, record::kAnnotationTexts[static_cast<size_t>(annotation.name)],
           annotation.start, annotation.end);
}

void Moment::On(const record::ApiCall& call) {
  const std::string_view name = dictionary_->text(call.name);
  AddRange(call.process, call.thread, name.empty() ? "a CUDA call" : analysis::SafeText(name, 48), call.start,
           call.end);
}

void Moment::On(const record::OffCpu& off) {
  const uint64_t ns = Within(off.start, off.end);
  const bool moved_in = off.migrated && off.end > window_.start && off.end <= window_.end;
  if (ns == 0 && !moved_in) return;
  Thread& thread = threads_[{off.process, off.thread}];
  thread.off_ns += ns;
  if (off.reason == record::OffCpuReason::kPreempted) thread.preempted_ns += ns;
  thread.migrations += moved_in ? 1 : 0;
}

void Moment::On(const record::CpuSample& sample) {
  const uint64_t ns = Within(sample.start, sample.end);
  if (ns == 0) return;
  Thread& thread = threads_[{sample.process, sample.thread}];
  if (sample.exact) thread.known_ns += ns;
  thread.waited_by_totals_ns += std::min(sample.waited_ns, ns);
}

uint64_t Moment::Thread::waited_ns() const {
  return attribution::ThreadActivity::Waited(off_ns, preempted_ns, waited_by_totals_ns);
}

void Moment::On(const record::ThreadInfo& thread) {
  threads_[{thread.process, thread.thread}].name = analysis::SafeText(dictionary_->text(thread.name), 24);
}

void Moment::Add(const record::IterationSummary& iteration) {
  const bool own = std::any_of(iteration.rows.begin(), iteration.rows.end(),
                               [&](const record::BatchRow& row) { return row.req == window_.req; });
  const record::TimeNs end = std::max({iteration.end, iteration.gpu_end, iteration.sample_end});
  if (Within(iteration.start, end) == 0) return;
  Iteration& kept = iterations_.emplace_back();
  kept.summary = iteration;
  kept.summary.rows = {};
  kept.rows.assign(iteration.rows.begin(), iteration.rows.end());
  kept.own = own;
}

const attribution::PhaseThread* Moment::SpentIn(uint32_t n, size_t phase) const {
  const auto spent = std::find_if(phase_threads_.begin(), phase_threads_.end(),
                                  [&](const auto& one) { return one.n == n && one.phase == phase; });
  return spent == phase_threads_.end() ? nullptr : &*spent;
}

std::vector<Moment::Iteration> Moment::Iterations() const {
  std::vector<Iteration> sorted = iterations_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Iteration& a, const Iteration& b) { return a.summary.start < b.summary.start; });
  return sorted;
}

std::string_view Moment::RoleOf(const ThreadKey& thread) const {
  return roles_.Of(attribution::ThreadKey(thread.first, thread.second));
}

std::string Moment::NameOf(record::RequestId req) const { return RequestName(req, request_texts_->Of(req)); }

std::string Moment::ShortNameOf(record::RequestId req) const {
  return request_texts_->Of(req).empty() ? NameOf(req).substr(0, 8) : NameOf(req);
}

std::vector<record::Annotation> Moment::Work() const {
  std::vector<record::Annotation> sorted = work_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  return sorted;
}

std::vector<std::pair<std::string, uint64_t>> Moment::TopKernels() const {
  std::vector<std::pair<std::string, uint64_t>> top;
  for (const auto& [name, ns] : kernels_) {
    top.emplace_back(analysis::SafeText(analysis::ShortName(analysis::Demangle(dictionary_->text(name))), 48), ns);
  }
  std::stable_sort(top.begin(), top.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return top;
}

std::vector<std::pair<std::string, uint64_t>> Moment::TopCapturedRanges() const {
  std::vector<std::pair<std::string, uint64_t>> top(captured_ranges_.begin(), captured_ranges_.end());
  std::stable_sort(top.begin(), top.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return top;
}

}  // namespace slowtoken::report
