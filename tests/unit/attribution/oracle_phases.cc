// Oracle: which label is active when. A window is cut at every boundary of every label;
// each piece goes to the first label that is active in it.
#include <algorithm>

#include "oracle.h"

namespace slowtoken::attribution::testing {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::GapPhase;
using record::TtftPhase;

namespace {

template <typename Phase>
unsigned Of(Phase phase) {
  return static_cast<unsigned>(phase);
}
constexpr unsigned kOwnWork = 40, kOwnCollective = 41, kReason = 50;  // beside the phases

bool IsSet(const std::optional<TimeRange>& range) { return range.has_value(); }

}  // namespace

TimeRanges Oracle::PreemptedTimes(record::RequestId req, TimeNs end) const {
  TimeRanges times;
  std::optional<TimeNs> since;
  for (const Annotation& a : events_.at(req)) {
    if (a.name == AnnotationName::kReqPreempted && !since) since = a.start;
    if (a.name == AnnotationName::kReqResumed && since) {
      times.push_back({*since, a.start});
      since = {};
    }
  }
  if (since) times.push_back({*since, end});
  return times;
}

void Oracle::AddEventLabels(record::RequestId req, TimeNs arrival, TimeNs queue_end, TimeNs end,
                            std::vector<Label>* labels) const {
  const std::optional<TimeNs> queued = FirstMark(req, AnnotationName::kReqQueued);
  std::optional<TimeRange> tokenize;
  const std::vector<Annotation>& events = events_.at(req);
  for (size_t i = 0; i < events.size(); ++i) {
    const Annotation& a = events[i];
    if (a.name == AnnotationName::kKvRecv) labels->push_back({Of(TtftPhase::kKvWait), {a.start, a.end}});
    if (a.name == AnnotationName::kReqTokenize) {
      labels->push_back({Of(TtftPhase::kTokenize), {a.start, a.end}});
      if (!tokenize) tokenize = TimeRange{a.start, a.end};
      tokenize->end = std::max(tokenize->end, a.end);
    }
    if (a.name != AnnotationName::kReqWaiting) continue;
    TimeNs until = end;  // the next mark of the request
    for (size_t k = events.size(); k-- > i + 1;) {
      const bool mark = events[k].name >= AnnotationName::kReqQueued && events[k].name <= AnnotationName::kReqFinish;
      if (mark && events[k].name != AnnotationName::kReqToken) until = events[k].start;
    }
    const auto reason = static_cast<record::WaitReason>(a.Get(AnnotationField::kWaitReason));
    labels->push_back({kReason + Of(reason), {a.start, until}});
    if (reason == record::WaitReason::kRemoteKv) labels->push_back({Of(TtftPhase::kKvWait), {a.start, until}});
  }
  if (queued || tokenize) labels->push_back({Of(TtftPhase::kHandoff), {arrival, queued ? *queued : tokenize->start}});
  const TimeNs queue_start = queued ? *queued : tokenize ? tokenize->end : arrival;
  labels->push_back({Of(TtftPhase::kQueue), {queue_start, queue_end}});
}

std::vector<Oracle::Label> Oracle::TtftLabels(record::RequestId req, TimeNs arrival, const Emission& first) const {
  std::vector<Label> labels;
  const Work work = WorkBetween(req, nullptr, first);
  const bool gpu = HasGpu(work);
  for (const TimeRange& t : PreemptedTimes(req, first.instant)) labels.push_back({Of(TtftPhase::kPreempted), t});
  if (first.commit) labels.push_back({Of(TtftPhase::kTransport), {*first.commit, first.instant}});
  if (const auto sample = SampleOf(work); IsSet(sample)) {
    labels.push_back({Of(TtftPhase::kSample), *sample});
    if (first.commit) labels.push_back({Of(TtftPhase::kCommitWait), {sample->end, *first.commit}});
  }
  std::optional<TimeNs> first_gpu, last_gpu, first_forward;
  for (const OracleKey& key : work.keys) {
    const OracleIteration& it = iterations_.at(key);
    if (it.forward) first_forward = std::min(first_forward.value_or(UINT64_MAX), it.forward->start);
    const auto hull = it.Gpu();
    if (!hull) continue;
    first_gpu = std::min(first_gpu.value_or(UINT64_MAX), hull->start);
    last_gpu = std::max(last_gpu.value_or(0), hull->end);
    labels.push_back({Of(TtftPhase::kPrefill), *hull});
    for (const TimeRange& t : it.work) labels.push_back({kOwnWork, t});
    for (const TimeRange& t : it.collectives) labels.push_back({kOwnCollective, t});
  }
  if (gpu) {
    labels.push_back({Of(TtftPhase::kPrefillWait), {*first_gpu, *last_gpu}});
  } else if (const auto forward = ForwardOf(work); IsSet(forward)) {
    labels.push_back({Of(TtftPhase::kPrefill), *forward});
  }
  const std::optional<TimeNs> launch = FirstLaunch(work);
  for (const auto& [key, other] : iterations_) {
    const auto hull = other.Gpu();
    const bool own = std::find(work.keys.begin(), work.keys.end(), key) != work.keys.end();
    if (!gpu || !launch || !hull || own || !SharesDevice(work, other)) continue;
    labels.push_back({Of(TtftPhase::kBacklog), {std::max(hull->start, *launch), std::min(hull->end, *first_gpu)}});
  }
  const std::optional<TimeNs> scheduled = FirstMark(req, AnnotationName::kReqScheduled);
  TimeNs queue_end = scheduled.value_or(0);
  if (!work.keys.empty()) {
    const OracleIteration& it = iterations_.at(work.keys.front());
    TimeRange schedule{scheduled ? *scheduled
                       : it.iter ? it.iter->start
                                 : 0,
                       it.forward ? it.forward->start : launch.value_or(0)};
    if (it.schedule) schedule = *it.schedule;
    queue_end = schedule.start;
    labels.push_back({Of(TtftPhase::kSchedule), schedule});
    const std::optional<TimeNs> submitted = gpu ? first_gpu : first_forward;
    if (schedule.end != 0 && submitted) labels.push_back({Of(TtftPhase::kSubmit), {schedule.end, *submitted}});
  }
  AddEventLabels(req, arrival, queue_end, first.instant, &labels);
  return labels;
}

std::vector<Oracle::Label> Oracle::GapLabels(record::RequestId req, const Emission& before,
                                             const Emission& emission) const {
  std::vector<Label> labels;
  const Work work = WorkBetween(req, &before, emission);
  const bool gpu = HasGpu(work);
  for (const TimeRange& t : PreemptedTimes(req, emission.instant)) labels.push_back({Of(GapPhase::kPreempted), t});
  if (emission.commit) labels.push_back({Of(GapPhase::kTransport), {*emission.commit, emission.instant}});
  if (const auto sample = SampleOf(work); IsSet(sample)) {
    labels.push_back({Of(GapPhase::kSample), *sample});
    if (emission.commit) labels.push_back({Of(GapPhase::kCommitWait), {sample->end, *emission.commit}});
  }
  const Work work_before = WorkBetween(req, nullptr, before);
  TimeNs since = before.commit.value_or(0);
  if (work_before.yield && iterations_.at(*work_before.yield).Gpu()) {
    since = std::max(since, iterations_.at(*work_before.yield).Gpu()->end);
  }
  std::set<std::pair<uint16_t, uint32_t>> threads;
  for (const OracleKey& key : work.keys) {
    const OracleIteration& it = iterations_.at(key);
    threads.insert(it.threads.begin(), it.threads.end());
    const auto hull = it.Gpu();
    for (const TimeRange& t : it.work) labels.push_back({Of(GapPhase::kGpuBusy), t});
    for (const TimeRange& t : it.collectives) labels.push_back({Of(GapPhase::kCollective), t});
    if (hull) labels.push_back({Of(GapPhase::kGpuIdle), *hull});
    std::optional<TimeNs> scheduled;
    if (it.schedule)
      scheduled = it.schedule->end;
    else if (it.forward)
      scheduled = it.forward->start;
    else if (it.first_launch != 0)
      scheduled = it.first_launch;
    if (scheduled) {
      labels.push_back({Of(GapPhase::kSchedule), {since, *scheduled}});
      if (gpu && hull) labels.push_back({Of(GapPhase::kSubmit), {*scheduled, hull->start}});
      if (!gpu && it.forward) labels.push_back({Of(GapPhase::kSubmit), {*scheduled, it.forward->start}});
    }
    if (hull) since = std::max(since, hull->end);
  }
  if (!gpu) {
    if (const auto forward = ForwardOf(work); IsSet(forward)) labels.push_back({Of(GapPhase::kGpuBusy), *forward});
  }
  for (const Annotation& a : host_work_) {
    if (!threads.contains({a.process, a.thread})) continue;
    const GapPhase phase = a.name == AnnotationName::kJit  ? GapPhase::kJit
                           : a.name == AnnotationName::kGc ? GapPhase::kGc
                                                           : GapPhase::kKv;
    labels.push_back({Of(phase), {a.start, a.end}});
  }
  const std::optional<TimeNs> launch = FirstLaunch(work);
  for (const auto& [key, other] : iterations_) {
    const auto hull = other.Gpu();
    if (!gpu || !hull || std::find(work.keys.begin(), work.keys.end(), key) != work.keys.end()) continue;
    if (!SharesDevice(work, other) || other.rows.contains(req)) continue;
    if (other.batch != OracleBatch::kKnown && !other.dummy()) continue;  // it may be in it
    if (other.PrefillRows() > 0) labels.push_back({Of(GapPhase::kPrefillInterference), *hull});
    if (launch) labels.push_back({Of(GapPhase::kBacklog), {std::max(hull->start, *launch), hull->end}});
  }
  return labels;
}

namespace {

struct Piece {
  uint64_t ns = 0;
  std::set<unsigned> active;
};

template <typename Labels>
std::vector<Piece> Cut(const Labels& labels, TimeNs from, TimeNs to) {
  std::set<TimeNs> cuts{from, to};
  for (const auto& label : labels) {
    for (const TimeNs t : {label.range.start, label.range.end}) {
      if (t > from && t < to && label.range.start < label.range.end) cuts.insert(t);
    }
  }
  std::vector<Piece> pieces;
  for (auto a = cuts.begin(), b = std::next(a); b != cuts.end(); ++a, ++b) {
    Piece piece{*b - *a, {}};
    for (const auto& label : labels) {
      if (label.range.start <= *a && label.range.end >= *b) piece.active.insert(label.label);
    }
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace

OracleRequest Oracle::Explain(record::RequestId req) const {
  OracleRequest result;
  for (const auto& [key, iteration] : iterations_) {
    if (!iteration.rows.contains(req)) continue;
    ++result.iterations;
    uint64_t tokens = 0, before = 0;
    for (const auto& [other, row] : iteration.rows) {
      if (other < req) before += std::max(row.n_tok, 1u);
      tokens += std::max(row.n_tok, 1u);
    }
    const uint64_t upto = before + std::max(iteration.rows.at(req).n_tok, 1u);
    result.gpu_share_ns += iteration.BusyNs() * upto / tokens - iteration.BusyNs() * before / tokens;
  }
  if (!events_.contains(req)) return result;
  const std::vector<Emission> emissions = Emissions(req, &result.by_sends);
  for (const Annotation& a : events_.at(req)) {
    if (a.name == AnnotationName::kReqToken) result.tokens += a.Get(AnnotationField::kNNew, 1);
  }
  uint64_t sent = 0;
  for (const Emission& e : emissions) sent += e.n_new;
  result.tokens = std::max(result.tokens, sent);
  const std::optional<TimeNs> arrival = FirstMark(req, AnnotationName::kReq);
  if (arrival && !emissions.empty() && emissions[0].n == emissions[0].n_new) {
    result.has_ttft = true;
    result.ttft_ns = emissions[0].instant - *arrival;
    const bool gpu = HasGpu(WorkBetween(req, nullptr, emissions[0]));
    for (const Piece& piece : Cut(TtftLabels(req, *arrival, emissions[0]), *arrival, emissions[0].instant)) {
      const unsigned phase = piece.active.empty() || *piece.active.begin() >= kOwnWork ? Of(TtftPhase::kUnattributed)
                                                                                       : *piece.active.begin();
      result.ttft_phases[phase] += piece.ns;
      if (phase == Of(TtftPhase::kQueue)) {
        const auto reason = piece.active.lower_bound(kReason);
        result.queue_by[reason == piece.active.end() ? 0 : *reason - kReason] += piece.ns;
      }
      if (phase != Of(TtftPhase::kPrefill) || !gpu) continue;
      if (piece.active.contains(kOwnWork))
        result.prefill_gpu_ns += piece.ns;
      else if (piece.active.contains(kOwnCollective))
        result.prefill_collective_ns += piece.ns;
      else
        result.prefill_idle_ns += piece.ns;
    }
  }
  for (size_t i = 1; i < emissions.size(); ++i) {
    const Emission& before = emissions[i - 1];
    OracleGap gap{emissions[i].n, emissions[i].n_new, before.instant, emissions[i].instant - before.instant, {}};
    if (gap.gap_ns > 0) {
      for (Piece& piece : Cut(GapLabels(req, before, emissions[i]), before.instant, emissions[i].instant)) {
        if (piece.active.contains(Of(GapPhase::kGpuBusy))) piece.active.erase(Of(GapPhase::kCollective));
        gap.phases[piece.active.empty() ? Of(GapPhase::kUnattributed) : *piece.active.begin()] += piece.ns;
      }
    }
    result.gaps.push_back(gap);
  }
  return result;
}

}  // namespace slowtoken::attribution::testing
