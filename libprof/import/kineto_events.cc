#include "import/kineto_events.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "import/call_class.h"
#include "import/gpu_names.h"
#include "record/call_names.h"

namespace slowtoken::importing {
namespace {

using record::ApiClass;
using record::TimeNs;

constexpr size_t kMostNamesLeftOut = 32;

record::ThreadId ThreadOf(std::string_view tid) { return static_cast<record::ThreadId>(WholeNumber(tid).value_or(0)); }

// "/opt/vllm/worker.py(117): step" -> "worker.py(117): step": folders are where somebody installed something.
std::string_view WithoutFolders(std::string_view frame) {
  const size_t file_end = frame.find(".py(");
  if (file_end == std::string_view::npos) return frame;
  const size_t slash = frame.rfind('/', file_end);
  return slash == std::string_view::npos ? frame : frame.substr(slash + 1);
}

}  // namespace

KinetoEvents::KinetoEvents(record::Dictionary& dictionary, std::function<void(uint64_t)> read_up_to)
    : dictionary_(&dictionary), read_up_to_(std::move(read_up_to)) {}

void KinetoEvents::On(const SourceEvent& event) {
  if (event.ph == "X") return AddComplete(event);
  if (event.ph == "M") return AddMetadata(event);
  if (event.ph == "s" || event.ph == "f" || event.ph == "t") return;  // flows: correlation ids say the same
  if (event.ph == "i" || event.ph == "I") {
    if (event.name == "Record Window End") return AddWindow(TimesOf(event));
    if (event.name.starts_with("Iteration Start:")) return;  // the profiler's own
    return LeaveOut(event.name == "[memory]" ? "memory marks" : "instants");
  }
  LeaveOut(absl::StrCat("events of kind `", std::string(event.ph.substr(0, 8)), "`"));
}

void KinetoEvents::LeaveOut(std::string_view what) {
  const auto known = counts_.others.find(std::string(what));
  if (known != counts_.others.end()) {
    ++known->second;
  } else if (counts_.others.size() < kMostNamesLeftOut) {
    counts_.others.emplace(what, 1);
  }
}

KinetoEvents::Times KinetoEvents::TimesOf(const SourceEvent& event) const {
  const std::optional<int64_t> start = NsOfMicroseconds(event.ts);
  if (!start) return {};
  Times times;
  times.start = static_cast<TimeNs>(*start + kTimeBias);
  const std::optional<int64_t> length = NsOfMicroseconds(event.dur);
  if (length) times.end = times.start + static_cast<TimeNs>(*length);
  return times;
}

void KinetoEvents::AddComplete(const SourceEvent& event) {
  const EventKind kind = KindOf(event.cat);
  const Times times = TimesOf(event);
  switch (kind) {
    case EventKind::kOther:
      return LeaveOut(absl::StrCat("events of category `", std::string(event.cat.substr(0, 64)), "`"));
    case EventKind::kWindow:
      return AddWindow(times);
    case EventKind::kKernel:
    case EventKind::kMemcpy:
    case EventKind::kMemset:
    case EventKind::kSynchronization:
    case EventKind::kGpuAnnotation:
      return AddGpu(event, kind, times);
    default:
      return AddHost(event, kind, times);
  }
}

void KinetoEvents::AddWindow(const Times& times) {
  const auto start = static_cast<int64_t>(times.start), end = static_cast<int64_t>(times.end);
  if (start == 0) return;
  window_.first = window_.first == 0 ? start : std::min(window_.first, start);
  window_.last = std::max({window_.last, start, end});
}

void KinetoEvents::AddHost(const SourceEvent& event, EventKind kind, const Times& given) {
  Times times = given;
  if (times.start == 0) return void(++counts_.without_time);
  if (times.end == 0) times.end = times.start;
  ++counts_.taken;
  if (kind != EventKind::kOverhead) ++host_events_[WholeNumber(event.pid).value_or(0)];
  switch (kind) {
    case EventKind::kRuntimeCall:
      return AddCall(event, record::ApiDomain::kRuntime, times);
    case EventKind::kDriverCall:
      return AddCall(event, record::ApiDomain::kDriver, times);
    case EventKind::kPythonFrame:
      return AddHostRange(event, kPythonDomain, times);
    case EventKind::kUserAnnotation:
      steps_.Add(event.name, ThreadOf(event.tid), times.start, times.end);
      return AddHostRange(event, kAnnotationDomain, times);
    case EventKind::kOverhead: {
      record::Overhead overhead;
      overhead.start = times.start;
      overhead.end = times.end;
      overhead.thread = ThreadOf(event.tid);
      overhead.kind = OverheadKindOf(event.name);
      return store_.Add(overhead);
    }
    default:
      // In 2021 steps of the profiler were ops.
      if (event.name.starts_with("ProfilerStep#")) steps_.Add(event.name, ThreadOf(event.tid), times.start, times.end);
      return AddHostRange(event, kCpuOpDomain, times);
  }
}

void KinetoEvents::AddCall(const SourceEvent& event, record::ApiDomain domain, const Times& times) {
  const std::string_view name = record::WithoutVersion(event.name);
  record::ApiCall call;
  call.start = times.start;
  call.end = times.end;
  call.correlation = static_cast<record::CorrelationId>(WholeNumber(event.Get(Arg::kCorrelation)).value_or(0));
  call.cbid = static_cast<uint32_t>(WholeNumber(event.Get(Arg::kCbid)).value_or(0));
  call.thread = ThreadOf(event.tid);
  call.name = dictionary_->InternText(name);
  call.domain = domain;
  if (call.name >= class_of_call_.size()) class_of_call_.resize(call.name + size_t{1}, ApiClass{UINT8_MAX});
  ApiClass& known = class_of_call_[call.name];
  if (call.name == 0) {
    call.api_class = CallClass(name);
  } else {
    if (known == ApiClass{UINT8_MAX}) known = CallClass(name);
    call.api_class = known;
  }
  store_.Add(call);
}

void KinetoEvents::AddHostRange(const SourceEvent& event, Domain domain, const Times& times) {
  record::NvtxRange range;
  range.start = times.start;
  range.end = times.end;
  range.message = dictionary_->InternText(domain == kPythonDomain ? WithoutFolders(event.name) : event.name);
  range.domain = Use(domain);
  range.thread = range.end_thread = ThreadOf(event.tid);
  if (event.Has(Arg::kCollective)) {
    fields_.clear();
    AddCollectiveFields(event);
    range.fields = fields_;
  }
  store_.Add(range);
}

void KinetoEvents::AddMetadata(const SourceEvent& event) {
  const bool of_host_thread = event.name == "thread_name" && !event.Get(Arg::kName).starts_with("stream ");
  if (!of_host_thread || !event.Has(Arg::kName)) return;
  if (const record::ThreadId thread = ThreadOf(event.tid); thread != 0) {
    thread_names_[thread] = dictionary_->InternText(event.Get(Arg::kName));
  }
}

uint64_t KinetoEvents::pid() const {
  const auto most = std::max_element(host_events_.begin(), host_events_.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first > b.first;
  });
  return most == host_events_.end() ? 0 : static_cast<uint64_t>(most->first);
}

void KinetoEvents::Finish(std::optional<uint32_t> rank) {
  // A call that kernels name is a launch, whatever it is called (bug log row 39).
  for (record::ApiCall& call : store_.calls()) {
    if (call.api_class == ApiClass::kOther && of_kernels_.contains(call.correlation)) {
      call.api_class = ApiClass::kKernelLaunch;
    }
  }
  for (const record::Annotation& iter : steps_.Finish(rank)) store_.Add(iter);
}

}  // namespace slowtoken::importing
