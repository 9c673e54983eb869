// RunSample: what one run of a server looked like, request by request: what `slowtoken diff` compares. Made from a
// report or from a load client's log (tools/cli/run_source.h). Plain data; durations in ns.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/phases.h"

namespace slowtoken::analysis {

struct RequestSample {
  std::optional<double> ttft_ns;  // no first token: none
  double prompt = 0;              // tokens that had to be computed
  double tokens = 0;              // generated
  bool failed = false;            // ended in an error, aborted or rejected
  std::vector<double> gaps_ns;    // per token: a gap of n new tokens counts n times, a share each
  double stalls = 0;
  bool has_phases = false;  // a client's log has none
  std::array<double, record::kTtftPhaseCount> ttft_phases{};
  std::array<double, record::kGapPhaseCount> gap_phases{};  // added up over its gaps
};

struct KernelSample {
  double count = 0, total_ns = 0;
};

struct RunSample {
  std::string name;                     // as the user gave it
  std::vector<RequestSample> requests;  // in order of arrival
  double seconds = 0;                   // from the first arrival to the last end
  std::map<std::string, double> finishes;
  std::map<std::string, double> stall_causes, slow_causes;
  std::string judged_by;  // what counted as a stall or as slow, in words; empty where nothing was judged
  std::map<std::string, KernelSample> kernels;
  std::map<std::string, std::string> conditions;
  std::set<std::string> pseudonyms;  // those of the conditions that are pseudonyms: equal by the same key alone
  std::string pseudonym_keys;        // names the key (or keys) behind them
};

}  // namespace slowtoken::analysis
