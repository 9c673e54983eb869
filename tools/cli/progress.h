// Progress: a line on the terminal that says how far a long reading has come. Silent when stderr is no terminal, and
// for the first second. A visitor among others; looks at the clock once an Advance event.
#pragma once

#include "base/time.h"
#include "reader/trace_set.h"
#include "record/visitor.h"

namespace slowtoken::cli {

class Progress final : public record::EventVisitor {
 public:
  Progress(const reader::TraceSet& traces, const char* verb);

  using EventVisitor::On;
  void On(const record::Advance&) override;

  // Takes the line away, if there is one.
  void Clear();

 private:
  const reader::TraceSet* traces_;
  const char* verb_;
  bool terminal_;
  bool shown_ = false;
  base::TimeNs next_;
};

}  // namespace slowtoken::cli
