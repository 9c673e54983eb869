// IterationSurvey: the first iterations that one process speaks of, with their batches: what EngineScopes tells engines
// apart by. A visitor over the beginning of one process's trace. Single threaded, offline; 64 iterations.
#pragma once

#include <map>
#include <utility>

#include "record/visitor.h"

namespace slowtoken::analysis {

class IterationSurvey final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::Annotation& annotation) override;

  // Enough is known.
  bool full() const { return count_ >= kMostIterations; }

  struct Sighting {
    record::TimeNs start = 0;  // of whatever was seen first
    bool batch = false;
    uint64_t rows = 0;  // a hash over the batch mark's rows
  };
  using Group = std::pair<uint32_t, uint32_t>;     // engine, dp_rank
  using Sightings = std::map<uint64_t, Sighting>;  // by iter
  const std::map<Group, Sightings>& groups() const { return groups_; }

 private:
  static constexpr size_t kMostIterations = 64;
  std::map<Group, Sightings> groups_;
  size_t count_ = 0;
};

}  // namespace slowtoken::analysis
