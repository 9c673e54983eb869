// Progress: the progress line of a replay of traces. A visitor among others; looks at the clock once an Advance event.
#pragma once

#include "progress_line.h"
#include "reader/trace_set.h"
#include "record/visitor.h"

namespace slowtoken::cli {

class Progress final : public record::EventVisitor {
 public:
  Progress(const reader::TraceSet& traces, const char* verb) : traces_(&traces), line_(verb) {}

  using EventVisitor::On;
  void On(const record::Advance&) override { line_.Show(traces_->bytes_read(), traces_->bytes_total()); }

  // Takes the line away, if there is one.
  void Clear() { line_.Clear(); }

 private:
  const reader::TraceSet* traces_;
  ProgressLine line_;
};

}  // namespace slowtoken::cli
