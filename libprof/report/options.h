// What a report is asked to hold, and what it is told beside the events. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/ids.h"

namespace slowtoken::report {

struct Options {
  bool gaps = false;         // keep every gap of every request (JSON); else only their distribution and the stalls
  bool iterations = false;   // list every iteration
  uint64_t slo_ttft_ns = 0;  // 0 = none given
  uint64_t slo_itl_ns = 0;
  bool slo_ttft_of_run = false;  // nobody asked for it: it is the one the run was started with
  bool slo_itl_of_run = false;
  bool graph_launch_level = false;  // graphs were recorded one record a replay: their inside cannot be told
  // The command that explains one request of these traces, up to the request; outlives the writing.
  std::string_view why = "slowtoken why TRACE";
  std::optional<record::RequestId> only = std::nullopt;  // list this request alone, with its gaps
};

// What the reading of the traces has to say.
struct ReadingNotes {
  std::vector<std::string> unreadable = {};  // files that should have been read and cannot be, "PATH: why"
  std::vector<std::string> engines = {};     // engines of one name that were kept apart
  bool engines_guessed = false;              // it is not certain which process belongs to which of them
};

}  // namespace slowtoken::report
