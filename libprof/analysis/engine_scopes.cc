#include "analysis/engine_scopes.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <set>

#include "base/hash.h"

namespace slowtoken::analysis {
namespace {

using record::Annotation;
using record::AnnotationField;

// Parts of one iteration, in whatever processes, begin closer together than this.
constexpr uint64_t kApartNs = 2'000'000'000;

}  // namespace

// Two processes that both say who is in an iteration must say the same of it. Without an iteration in common, two that
// do so are two engines; one that does not may be a worker that was heard of later.
EngineScopes::Relation EngineScopes::Compare(const IterationSurvey::Sightings& a, const IterationSurvey::Sightings& b,
                                             uint64_t* distance) {
  uint64_t common = 0, sum = 0;
  for (const auto& [iter, one] : a) {
    const auto other = b.find(iter);
    if (other == b.end()) continue;
    const uint64_t apart = std::max(one.start, other->second.start) - std::min(one.start, other->second.start);
    const bool batches_differ = one.batch && other->second.batch && one.rows != other->second.rows;
    if (apart > kApartNs || batches_differ) return Relation::kApart;
    ++common;
    sum += apart;
  }
  const auto has_batch = [](const auto& group) {
    return std::any_of(group.begin(), group.end(), [](const auto& entry) { return entry.second.batch; });
  };
  if (common == 0) return has_batch(a) && has_batch(b) ? Relation::kApart : Relation::kNone;
  *distance = sum / common;
  return Relation::kJoins;
}

// The engine that a process belongs to: of those it contradicts nobody of, the nearest in time. nullptr: a new one.
EngineScopes::Engine* EngineScopes::Home(const Group& group, record::ProcessIndex process, std::vector<Engine>& engines,
                                         const std::vector<IterationSurvey>& surveys) {
  Engine* nearest = nullptr;
  uint64_t least = UINT64_MAX;
  size_t possible = 0;
  for (Engine& engine : engines) {
    bool apart = false;
    uint64_t distance = UINT64_MAX - 1;  // nothing in common
    for (const record::ProcessIndex other : engine.processes) {
      apart = apart || Compare(surveys[process].groups().at(group), surveys[other].groups().at(group), &distance) ==
                           Relation::kApart;
    }
    if (apart) continue;
    ++possible;
    if (distance < least) {
      least = distance;
      nearest = &engine;
    }
  }
  if (engines.size() > 1 && (possible > 1 || least == UINT64_MAX - 1)) ambiguous_ = true;
  return nearest;
}

void EngineScopes::Split(const Group& group, const std::vector<IterationSurvey>& surveys) {
  std::vector<Engine> engines;
  std::vector<record::ProcessIndex> processes;
  for (size_t i = 0; i < surveys.size(); ++i) {
    if (surveys[i].groups().contains(group)) processes.push_back(static_cast<record::ProcessIndex>(i));
  }
  // Those that name the members of batches found engines; the others find theirs.
  std::stable_partition(processes.begin(), processes.end(), [&](record::ProcessIndex process) {
    const auto& sightings = surveys[process].groups().at(group);
    return std::any_of(sightings.begin(), sightings.end(), [](const auto& entry) { return entry.second.batch; });
  });
  for (const record::ProcessIndex process : processes) {
    Engine* home = Home(group, process, engines, surveys);
    if (home == nullptr) home = &engines.emplace_back(Engine{group, {}});
    home->processes.push_back(process);
  }
  if (engines.size() < 2) return;
  for (uint32_t k = 0; k < engines.size(); ++k) {
    uint32_t& number = numbers_[{group.first, k}];
    if (k == 0) number = group.first;
    if (k != 0 && number == 0) number = next_number_++;
    for (const record::ProcessIndex process : engines[k].processes) {
      given_[{process, group}] = number;
      scope_.emplace(process, number + 1);
    }
  }
  engines_.push_back(std::move(engines));
}

EngineScopes::EngineScopes(const std::vector<IterationSurvey>& surveys) {
  std::set<Group> groups;
  for (const IterationSurvey& survey : surveys) {
    for (const auto& [group, sightings] : survey.groups()) {
      groups.insert(group);
      next_number_ = std::max(next_number_, group.first + 1);
    }
  }
  for (const Group& group : groups) Split(group, surveys);
}

std::vector<std::string> EngineScopes::Lines(const std::vector<std::string>& names) const {
  std::vector<std::string> lines;
  for (const std::vector<Engine>& engines : engines_) {
    std::vector<std::string> parts;
    for (const Engine& engine : engines) {
      std::vector<std::string> members;
      for (const record::ProcessIndex process : engine.processes) members.push_back(names[process]);
      parts.push_back(
          absl::StrCat(absl::StrJoin(members, " and "), " as engine ", given_.at({engine.processes[0], engine.group})));
    }
    lines.push_back(absl::StrCat(engines.size(), " engines call themselves engine ", engines[0].group.first,
                                 ", dp_rank ", engines[0].group.second, " (replicas, or a restart): kept apart, ",
                                 absl::StrJoin(parts, ", "), "; let each replica set `engine`",
                                 ambiguous_ ? "; which engine some of their processes belong to is a guess" : ""));
  }
  return lines;
}

record::RequestId EngineScopes::Scoped(record::RequestId req, record::ProcessIndex process) {
  const auto scope = scope_.find(process);
  if (scope == scope_.end() || req == 0) return req;
  const uint32_t owner = owner_.try_emplace(req, scope->second).first->second;
  return owner == scope->second ? req : base::MixHash(req ^ base::MixHash(scope->second));
}

Annotation EngineScopes::Scoped(const Annotation& annotation, std::vector<record::BatchRow>& rows) {
  Annotation scoped = annotation;
  const record::IterationKey key = annotation.iteration();
  const auto given = given_.find({annotation.process, {key.engine, key.dp_rank}});
  if (given != given_.end()) scoped.Set(AnnotationField::kEngine, given->second);
  if (annotation.Has(AnnotationField::kReqId)) {
    scoped.Set(AnnotationField::kReqId, Scoped(annotation.req(), annotation.process));
  }
  rows.assign(annotation.rows.begin(), annotation.rows.end());
  for (record::BatchRow& row : rows) row.req = Scoped(row.req, annotation.process);
  scoped.rows = rows;
  return scoped;
}

}  // namespace slowtoken::analysis
