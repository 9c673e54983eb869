// Oracle: emissions, own iterations, and what both phases ask of them.
#include <algorithm>

#include "oracle.h"

namespace slowtoken::attribution::testing {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::RowKind;

std::optional<TimeNs> Oracle::FirstMark(record::RequestId req, AnnotationName name) const {
  const auto events = events_.find(req);
  if (events == events_.end()) return {};
  for (const Annotation& a : events->second) {
    if (a.name == name) return a.start;
  }
  return {};
}

std::vector<OracleKey> Oracle::OwnIterations(record::RequestId req) const {
  std::vector<OracleKey> own;
  for (const auto& [key, iteration] : iterations_) {
    if (iteration.rows.contains(req)) own.push_back(key);
  }
  std::sort(own.begin(), own.end(), [&](const OracleKey& a, const OracleKey& b) {
    return iterations_.at(a).all->start < iterations_.at(b).all->start;
  });
  return own;
}

std::vector<Oracle::Emission> Oracle::Emissions(record::RequestId req, bool* by_sends) const {
  std::vector<Emission> commits, sends;
  std::vector<Annotation> tokens, send_ranges;
  const auto events = events_.find(req);
  if (events == events_.end()) return {};
  for (const Annotation& a : events->second) {
    const bool empty = a.Has(AnnotationField::kNNew) && a.Get(AnnotationField::kNNew) == 0;
    if (a.name == AnnotationName::kReqToken && !empty) tokens.push_back(a);
    if (a.name == AnnotationName::kReqSend && !empty) send_ranges.push_back(a);
  }
  const auto by_n = [](const Annotation& a, const Annotation& b) {
    return a.Get(AnnotationField::kN) < b.Get(AnnotationField::kN);
  };
  std::stable_sort(tokens.begin(), tokens.end(), by_n);
  std::stable_sort(send_ranges.begin(), send_ranges.end(), by_n);
  const std::vector<OracleKey> own = OwnIterations(req);
  uint64_t token_sum = 0, send_sum = 0;
  size_t next_own = 0;
  for (const Annotation& a : tokens) {
    Emission e{a.start, a.start, a.Get(AnnotationField::kN), a.Get(AnnotationField::kNNew, 1), {}};
    token_sum += e.n_new;
    if (a.Has(AnnotationField::kIterNo)) {
      OracleKey key{0, 0, a.Get(AnnotationField::kIterNo)};
      for (const OracleKey& k : own) {
        if (std::get<2>(k) == a.Get(AnnotationField::kIterNo)) key = k;
      }
      if (iterations_.contains(key)) e.yield = key;
    } else {
      while (next_own < own.size() && iterations_.at(own[next_own]).rows.at(req).kind == RowKind::kChunk) ++next_own;
      if (next_own < own.size() && iterations_.at(own[next_own]).all->start < *e.commit) e.yield = own[next_own++];
    }
    commits.push_back(e);
  }
  for (const Annotation& a : send_ranges) {
    Emission e{a.end, {}, a.Get(AnnotationField::kN), a.Get(AnnotationField::kNNew, 1), {}};
    send_sum += e.n_new;
    for (const Emission& commit : commits) {
      if (commit.n < e.n) continue;
      e.commit = commit.commit;
      e.yield = commit.yield;
      break;
    }
    if (!e.commit && tokens.empty()) {
      for (const OracleKey& k : own) {
        const std::optional<TimeNs> done = CommitOf(k);
        if (iterations_.at(k).rows.at(req).kind != RowKind::kChunk && done && *done <= a.start) e.yield = k;
      }
    }
    if (!e.commit) e.commit = CommitOf(e.yield);
    sends.push_back(e);
  }
  *by_sends = !sends.empty() && send_sum >= token_sum;
  return *by_sends ? sends : commits;
}

std::optional<TimeNs> Oracle::CommitOf(const std::optional<OracleKey>& yield) const {
  if (!yield) return {};
  const OracleIteration& iteration = iterations_.at(*yield);
  if (iteration.update) return iteration.update->end;
  return iteration.iter ? std::optional(iteration.iter->end) : std::nullopt;
}

Oracle::Work Oracle::WorkBetween(record::RequestId req, const Emission* before, const Emission& emission) const {
  Work work;
  work.yield = emission.yield;
  TimeNs from = 0, to = emission.commit.value_or(emission.instant) - 1;
  if (before != nullptr && before->yield) from = iterations_.at(*before->yield).all->start + 1;
  if (emission.yield) to = iterations_.at(*emission.yield).all->start;
  for (const OracleKey& key : OwnIterations(req)) {
    const TimeNs start = iterations_.at(key).all->start;
    if (start >= from && start <= to) work.keys.push_back(key);
  }
  if (work.yield && std::find(work.keys.begin(), work.keys.end(), *work.yield) == work.keys.end()) {
    work.keys.push_back(*work.yield);
  }
  return work;
}

bool Oracle::HasGpu(const Work& work) const {
  return std::any_of(work.keys.begin(), work.keys.end(),
                     [&](const OracleKey& k) { return iterations_.at(k).Gpu().has_value(); });
}

bool Oracle::SharesDevice(const Work& work, const OracleIteration& other) const {
  for (const OracleKey& key : work.keys) {
    for (const std::string& device : iterations_.at(key).devices) {
      if (other.devices.contains(device)) return true;
    }
  }
  return false;
}

std::optional<TimeNs> Oracle::FirstLaunch(const Work& work) const {
  std::optional<TimeNs> first;
  for (const OracleKey& key : work.keys) {
    const TimeNs launch = iterations_.at(key).first_launch;
    if (launch != 0 && (!first || launch < *first)) first = launch;
  }
  return first;
}

std::optional<TimeRange> Oracle::SampleOf(const Work& work) const {
  if (!work.yield) return {};
  const OracleIteration& yield = iterations_.at(*work.yield);
  const std::optional<TimeRange> gpu = yield.Gpu();
  if (!gpu) return yield.sample;
  return TimeRange{gpu->end, std::max(gpu->end, yield.SampleEnd())};
}

// Without GPU records: from the first own iter.forward to the yielding iter.sample.
std::optional<TimeRange> Oracle::ForwardOf(const Work& work) const {
  std::optional<TimeNs> start;
  for (const OracleKey& key : work.keys) {
    const auto& forward = iterations_.at(key).forward;
    if (forward && (!start || forward->start < *start)) start = forward->start;
  }
  if (!start || !work.yield) return {};
  const OracleIteration& yield = iterations_.at(*work.yield);
  if (yield.sample) return TimeRange{*start, yield.sample->start};
  if (yield.forward) return TimeRange{*start, yield.forward->end};
  return {};
}

}  // namespace slowtoken::attribution::testing
