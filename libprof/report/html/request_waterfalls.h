// RequestWaterfalls: the life of each request whose slow token has a timeline, as rows in order of time: its first
// token and its worst slow tokens one by one, with what `slowtoken why` says of each (phases, iterations, GPU), and the
// usual tokens between them taken together. A visitor over the events of a trace, with another for what attribution
// concludes from them, in a reading after the one that found the slow tokens. Single threaded, offline. Memory grows
// with the rows and the iterations within the slow ones, not with the trace.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/request_texts.h"
#include "record/dictionary.h"
#include "record/visitor.h"
#include "report/html/part_index.h"
#include "report/html/slow_tokens.h"
#include "report/json_parts.h"
#include "report/moment.h"

namespace slowtoken::report::html {

class RequestWaterfalls final : public record::EventVisitor {
 public:
  static constexpr size_t kMostParts = 12;  // slow tokens of a request; the others are among the usual ones

  // `report` and `slow` must outlive it.
  RequestWaterfalls(const record::Dictionary& dictionary, const v1::Report& report, const SlowTokens& slow);
  RequestWaterfalls(const RequestWaterfalls&) = delete;  // its part points to it
  RequestWaterfalls& operator=(const RequestWaterfalls&) = delete;

  using EventVisitor::On;
  void On(const record::Kernel& kernel) override;
  void On(const record::GraphLaunch& graph) override;
  void On(const record::RequestIdText& text) override { request_texts_->Add(text); }

  // For what was concluded, each once.
  record::EventVisitor& conclusions() { return conclusions_; }

  // After the last event. By the request's name: {"arrival_ns", "whole_ns", "rows": […]}; a row is {"name", "start_ns"
  // from the arrival, "ns", "steps": [[phase, start from the row's, ns], …], "lines": what is said of it}, and of one
  // token with "slow" (index of SlowTokens::tokens, else null), "iterations", "iterations_all", "gpu_busy_ns",
  // "kernels".
  Json ToJson() const;

 private:
  class Conclusions final : public record::EventVisitor {
   public:
    explicit Conclusions(RequestWaterfalls& all) : all_(&all) {}
    using EventVisitor::On;
    void On(const record::GapSummary& gap) override { all_->Add(gap); }
    void On(const record::IterationSummary& iteration) override { all_->Add(iteration); }

   private:
    RequestWaterfalls* all_;
  };
  // One token of which everything is told.
  struct Part {
    std::optional<size_t> slow = std::nullopt;  // index of SlowTokens::tokens; none: a first token that is not slow
    uint32_t n = 1;                             // 1: the first token
    record::TimeNs start = 0, end = 0;
    record::GapPhases phases{};
    std::unique_ptr<Moment> moment = nullptr;
  };
  // The usual tokens between two parts.
  struct Between {
    uint32_t first = 0, last = 0;  // tokens
    uint64_t gaps = 0;
    record::TimeNs start = 0, end = 0;
    record::GapPhases phases{};
    uint64_t iterations = 0;
    size_t least_others = SIZE_MAX, most_others = 0;
  };
  struct Life {
    const v1::RequestReport* request = nullptr;
    std::vector<Part> parts;       // by n
    std::vector<Between> between;  // one more: before the first part, …, after the last
  };

  void AddParts(Life& life, const record::Dictionary& dictionary);
  void Add(const record::GapSummary& gap);
  void Add(const record::IterationSummary& iteration);
  static void AddOwn(Life& life, const record::IterationSummary& iteration);
  Json LifeJson(const Life& life) const;
  Json PartJson(const Life& life, const Part& part) const;
  std::vector<std::string> LinesOf(const Life& life, const Part& part) const;

  Conclusions conclusions_{*this};
  const v1::Report* report_;
  const SlowTokens* slow_;
  record::TimeNs origin_;
  std::shared_ptr<analysis::RequestTexts> request_texts_ =
      std::make_shared<analysis::RequestTexts>();  // of all moments
  std::map<record::RequestId, Life> lives_;
  std::vector<Moment*> moments_;  // of all parts
  PartIndex index_;               // of moments_
};

}  // namespace slowtoken::report::html
