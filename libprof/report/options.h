// What a report is asked to hold. Plain data.
#pragma once

#include <cstdint>
#include <optional>

#include "record/ids.h"

namespace slowtoken::report {

struct Options {
  bool gaps = false;         // keep every gap of every request (JSON); else only their distribution and the stalls
  bool iterations = false;   // list every iteration
  uint64_t slo_ttft_ns = 0;  // 0 = none given
  uint64_t slo_itl_ns = 0;
  bool graph_launch_level = false;  // graphs were recorded one record a replay: their inside cannot be told
  std::optional<record::RequestId> only = std::nullopt;  // list this request alone, with its gaps
};

}  // namespace slowtoken::report
