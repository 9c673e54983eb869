// EngineScopes: tells engines apart that say the same of themselves. An iteration's key is (engine, dp_rank, iter), and
// what several processes emit under one key is joined: a scheduler, workers, tensor-parallel ranks. Replicas that all
// call themselves engine 0, and a server that was restarted within a run, use the same keys for different iterations:
// their batches differ, or their times lie far apart. Each such engine but the first gets an engine number of its own,
// and a request id that two of them use is two requests. Made from the first iterations of each process, before
// anything is joined. Used by the command line. Single threaded, offline.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/iteration_survey.h"
#include "record/annotation.h"

namespace slowtoken::analysis {

class EngineScopes {
 public:
  // `surveys`: one for each process, in order of its index.
  explicit EngineScopes(const std::vector<IterationSurvey>& surveys);

  // False: every key is used by one engine only, and nothing needs to be told apart.
  bool any() const { return !engines_.empty(); }
  // Some process fits to several engines, or to none: which one its part belongs to is a guess.
  bool ambiguous() const { return ambiguous_; }
  // For people: which processes were told apart. `names`: of each process.
  std::vector<std::string> Lines(const std::vector<std::string>& names) const;

  // `annotation` with the engine and the request ids it has in this reading; `rows` holds its rows.
  record::Annotation Scoped(const record::Annotation& annotation, std::vector<record::BatchRow>& rows);
  record::RequestId Scoped(record::RequestId req, record::ProcessIndex process);

 private:
  using Group = IterationSurvey::Group;
  struct Engine {
    Group group;
    std::vector<record::ProcessIndex> processes;
  };
  enum class Relation { kNone, kJoins, kApart };
  static Relation Compare(const IterationSurvey::Sightings& a, const IterationSurvey::Sightings& b, uint64_t* distance);
  void Split(const Group& group, const std::vector<IterationSurvey>& surveys);
  Engine* Home(const Group& group, record::ProcessIndex process, std::vector<Engine>& engines,
               const std::vector<IterationSurvey>& surveys);

  std::vector<std::vector<Engine>> engines_;                          // groups with more than one
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;         // (engine, which of its instances) -> number
  std::map<std::pair<record::ProcessIndex, Group>, uint32_t> given_;  // the number a process's group has now
  std::map<record::ProcessIndex, uint32_t> scope_;                    // from 1; none: the process takes no side
  absl::flat_hash_map<record::RequestId, uint32_t> owner_;            // the scope that used a request id first
  uint32_t next_number_ = 0;
  bool ambiguous_ = false;
};

}  // namespace slowtoken::analysis
