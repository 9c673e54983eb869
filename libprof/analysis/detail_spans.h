// DetailSpans: when less than full detail was kept, and why: by the mode, by what the user asked for, to stay within
// the budget, because the trace was full. From the changes that the recorders wrote down. Pure; called once, after the
// replay.
#pragma once

#include <vector>

#include "analysis/recorder_facts.h"
#include "reader/process_info.h"

namespace slowtoken::analysis {

struct DetailSpan {
  record::DetailChange change;  // what began it
  record::TimeNs end = 0;       // start of the next one, else the end of what was read
};

// By process and time; without those of full detail.
std::vector<DetailSpan> DetailSpans(const RecorderFacts& facts);

// True if of the detail that was read a part was left out on purpose, though not all: what is counted from it (kernels,
// launches, busy time) is counted from a sample. A size cap is a loss and does not count here.
bool DetailIsSampled(const RecorderFacts& facts, const std::vector<reader::ProcessInfo>& processes);

}  // namespace slowtoken::analysis
