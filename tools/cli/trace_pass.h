// TracePass: one reading of traces with attribution over all their processes. What `report` and `export` stand on.
// Called by a verb on the only thread. Memory: the attribution engine's tables (about 600 MB of address space, used as
// needed), the dictionary and one chunk a file.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/tee.h"
#include "attribution/engine.h"
#include "progress.h"
#include "reader/trace_set.h"
#include "service_levels.h"

namespace slowtoken::cli {

class TracePass {
 public:
  // Opens `paths`, files or directories.
  static absl::StatusOr<std::unique_ptr<TracePass>> Open(const std::vector<std::string>& paths);
  ~TracePass() { arena_.Release(); }

  // Replays everything, once, to attribution and to `events`, a concrete visitor class. What attribution concludes goes
  // to `summaries` (what the processes concluded alone, and wrote into their traces, goes to `events`). Shows progress
  // as `verb` on a terminal.
  template <typename Visitor>
  absl::Status Run(Visitor& events, record::EventVisitor& summaries, const ServiceLevels& levels, const char* verb) {
    if (absl::Status ready = StartEngine(summaries, levels); !ready.ok()) return ready;
    Progress progress(*traces_, verb);
    analysis::Tee both(engine_, events);
    analysis::Tee all(both, progress);
    absl::Status status = traces_->Replay(all);
    engine_.Finish();
    progress.Clear();
    return status;
  }

  const reader::TraceSet& traces() const { return *traces_; }
  const base::LossCounters& losses() const { return losses_; }  // of attribution while reading

 private:
  TracePass() = default;
  absl::Status StartEngine(record::EventVisitor& summaries, const ServiceLevels& levels);

  std::unique_ptr<reader::TraceSet> traces_;
  base::Arena arena_;
  base::LossCounters losses_;
  attribution::Engine engine_;
};

}  // namespace slowtoken::cli
