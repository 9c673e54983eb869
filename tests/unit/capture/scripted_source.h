// ScriptedSource: a source of events that a test fills before each round. Keeps nothing open; complete up to the round.
// Like CUPTI it cannot stop: told to pause, it says so and goes on delivering.
#pragma once

#include <vector>

#include "capture/event_source.h"

namespace slowtoken::capture::testing {

class ScriptedSource final : public EventSource {
 public:
  void Collect(CollectContext& context) override {
    for (auto& [annotation, rows] : annotations_) {
      annotation.rows = rows;
      context.out.On(annotation);
    }
    context.out.On(std::span<const record::ApiCall>(calls_));
    context.out.On(std::span<const record::Kernel>(kernels_));
    annotations_.clear();
    calls_.clear();
    kernels_.clear();
  }

  void SetPaused(bool paused, CollectContext& context) override {
    record::SourceStatus status;
    status.state = paused ? record::SourceState::kPaused : record::SourceState::kActive;
    status.reason = paused ? record::BlindReason::kPaused : record::BlindReason::kNone;
    status.time = base::MonotonicNow();
    context.out.On(status);
  }

  void Add(const record::Annotation& annotation, std::vector<record::BatchRow> rows = {}) {
    annotations_.emplace_back(annotation, std::move(rows));
  }

  void Add(const record::ApiCall& call) { calls_.push_back(call); }
  void Add(const record::Kernel& kernel) { kernels_.push_back(kernel); }

  // A launch now, and its kernel a while later.
  void AddLaunch(record::CorrelationId id) {
    record::ApiCall call;
    call.start = base::MonotonicNow();
    call.end = call.start + 10;
    call.correlation = id;
    call.api_class = record::ApiClass::kKernelLaunch;
    calls_.push_back(call);
  }
  void AddKernel(record::CorrelationId id) {
    record::Kernel kernel;
    kernel.start = base::MonotonicNow();
    kernel.end = kernel.start + 100;
    kernel.correlation = id;
    kernels_.push_back(kernel);
  }

 private:
  std::vector<std::pair<record::Annotation, std::vector<record::BatchRow>>> annotations_;
  std::vector<record::ApiCall> calls_;
  std::vector<record::Kernel> kernels_;
};

}  // namespace slowtoken::capture::testing
