// JoinedRun: a TraceAnalysis fed as a reading of traces feeds it: each event to attribution and to it, and what
// attribution joins to it as well.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "../analysis/events.h"
#include "analysis/tee.h"
#include "analysis/trace_analysis.h"
#include "attribution/engine.h"

namespace slowtoken::testing {

class JoinedRun {
 public:
  explicit JoinedRun(const record::Dictionary& dictionary, uint32_t processes = 1) : analysis_(dictionary) {
    const attribution::EngineConfig config = attribution::EngineConfig::Offline(processes);
    EXPECT_TRUE(arena_.Reserve(config.ArenaBytes(), false) &&
                engine_->Init(arena_, config, dictionary, losses_, conclusions_));
    engine_->Tell(analysis_);
    engine_->TellThreads(analysis_);
  }
  ~JoinedRun() { arena_.Release(); }
  JoinedRun(const JoinedRun&) = delete;
  JoinedRun& operator=(const JoinedRun&) = delete;

  template <typename Event>
  void On(const Event& event) {
    events_.On(event);
  }

  void Finish() {
    engine_->Finish();
    analysis_.Finish();
  }

  analysis::TraceAnalysis& analysis() { return analysis_; }
  const base::LossCounters& losses() const { return losses_; }  // of attribution

 private:
  class Unread final : public record::EventVisitor {};

  base::Arena arena_;
  base::LossCounters losses_;
  Unread conclusions_;
  std::unique_ptr<attribution::Engine> engine_ = std::make_unique<attribution::Engine>();
  analysis::TraceAnalysis analysis_;
  analysis::Tee<attribution::Engine, analysis::TraceAnalysis> events_{*engine_, analysis_};
};

}  // namespace slowtoken::testing
