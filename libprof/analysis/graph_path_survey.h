// GraphPathSurvey: finds what graph nodes were captured in, in a reading of a trace that makes no report: for exports,
// which must know before they write the first node. A visitor over the events of all processes. Single threaded,
// offline.
#pragma once

#include "analysis/graph_paths.h"
#include "record/visitor.h"

namespace slowtoken::analysis {

class GraphPathSurvey final : public record::EventVisitor {
 public:
  explicit GraphPathSurvey(const record::Dictionary& dictionary)
      : dictionary_(&dictionary), captured_(dictionary, ranges_) {}

  using EventVisitor::On;
  void On(const record::ApiCall& call) override { captured_.Add(call); }
  void On(const record::Kernel& kernel) override { captured_.Add(kernel); }
  void On(const record::Memcpy& copy) override { captured_.Add(copy); }
  void On(const record::Memset& set) override { captured_.Add(set); }
  void On(const record::NvtxRange& range) override { ranges_.Add(range); }
  void On(const record::Annotation& annotation) override { ranges_.Add(annotation); }
  void On(const record::Advance& advance) override {
    captured_.Advance(IsTime(advance.watermark) ? advance.watermark : 0);
    ranges_.Advance();
  }

  // After the last event, once.
  GraphPaths Finish() {
    captured_.Finish();
    return {captured_, *dictionary_};
  }
  const CapturedRanges& captured() const { return captured_; }

 private:
  const record::Dictionary* dictionary_;
  HostRanges ranges_{[](const HostRanges::Question&, RangeName) {}};
  CapturedRanges captured_;
};

}  // namespace slowtoken::analysis
