// TracePass: one reading of traces with attribution over all their processes. What `report` and `export` stand on.
// Called by a verb on the only thread. Memory: the attribution engine's tables (about 600 MB of address space, used as
// needed), the dictionary and one chunk a file.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/late_rules.h"
#include "analysis/scoped_events.h"
#include "analysis/tee.h"
#include "attribution/engine.h"
#include "progress.h"
#include "reader/trace_set.h"
#include "report/options.h"
#include "request_search.h"
#include "service_levels.h"

namespace CLI {
class App;
}

namespace slowtoken::cli {

class TracePass {
 public:
  // What to read: `paths`, files or directories (none: the default place of `slowtoken run`), and of several runs
  // there `run`, which `run_option` names (reader::TraceSet::Options). `again`: what is left out was said when they
  // were opened before.
  struct Input {
    std::vector<std::string> paths;
    std::string run;
    std::string rules = {};  // path of a rule pack; empty: none of the user's
    bool again = false;
    std::string run_option = "--run";
  };
  static void AddOptions(CLI::App& app, Input& input);         // TRACE, and the following
  static void AddReadingOptions(CLI::App& app, Input& input);  // how what is named is read

  // Opens it. Says as `verb` on stderr what is left out.
  static absl::StatusOr<std::unique_ptr<TracePass>> Open(const Input& input, const char* verb);
  ~TracePass() { arena_.Release(); }

  // Attribution will tell `joined` how GPU records and launches belong together. Before Run.
  void Tell(attribution::JoinVisitor& joined) { engine_.Tell(joined); }
  // And `threads` how CPU phases were spent.
  void TellThreads(attribution::PhaseThreadVisitor& threads) { engine_.TellThreads(threads); }

  // Replays everything, once, to attribution and to `events`, a concrete visitor class. What attribution concludes goes
  // to `summaries` (what the processes concluded alone, and wrote into their traces, goes to `events`). Shows progress
  // as `verb` on a terminal.
  template <typename Visitor>
  absl::Status Run(Visitor& events, record::EventVisitor& summaries, const ServiceLevels& levels, const char* verb) {
    if (absl::Status ready = StartEngine(summaries, levels); !ready.ok()) return ready;
    Progress progress(*traces_, verb);
    analysis::Tee both(engine_, events);
    analysis::Tee all(both, progress);
    analysis::LateAnnotations meanings(*late_rules_, all);
    analysis::Tee with_meanings(all, meanings);
    analysis::ScopedEvents scoped(*scopes_, with_meanings);
    absl::Status status = scopes_->any() ? traces_->Replay(scoped) : traces_->Replay(with_meanings);
    engine_.Finish();
    progress.Clear();
    return status;
  }

  // Replays everything to `events` alone: for what must be known before Run.
  absl::Status Survey(record::EventVisitor& events, const char* verb) {
    Progress progress(*traces_, verb);
    analysis::Tee both(events, progress);
    absl::Status status = traces_->Replay(both);
    progress.Clear();
    return status;
  }

  // Shows everything to `search`, until it has found an id that was recorded in the clear (--ids=clear).
  void Search(RequestSearch& search) const;

  const reader::TraceSet& traces() const { return *traces_; }
  std::vector<std::string> ProcessNames() const;  // as reports call them, by index
  // What the reading could not take as it stands: for ReportBuilder::Build.
  report::ReadingNotes notes() const { return {traces_->unreadable(), engine_notes_, scopes_->ambiguous()}; }
  const base::LossCounters& losses() const { return losses_; }  // of attribution while reading

 private:
  TracePass() = default;
  absl::Status StartEngine(record::EventVisitor& summaries, const ServiceLevels& levels);

  void FindEngines();
  absl::Status ReadRanges(const std::string& pack_path);

  std::unique_ptr<reader::TraceSet> traces_;
  std::optional<analysis::EngineScopes> scopes_;
  std::vector<std::string> engine_notes_;
  std::unique_ptr<analysis::LateRules> late_rules_;
  base::Arena arena_;
  base::LossCounters losses_;
  attribution::Engine engine_;
};

}  // namespace slowtoken::cli
