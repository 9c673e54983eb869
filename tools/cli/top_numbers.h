// The numbers of `slowtoken top`: what happened in each run between two looks at its processes, or since they started.
// Pure; no terminal.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/present.h"

namespace slowtoken::cli {

struct TopPhase {
  std::string name;
  uint64_t sum_ns = 0;
  uint64_t p50_ns = 0;
  uint64_t p99_ns = 0;
};

// TTFT or ITL of the interval.
struct TopLatency {
  uint64_t count = 0;
  uint64_t p50_ns = 0;
  uint64_t p99_ns = 0;
  std::vector<TopPhase> phases;  // those with any time in them, the largest first
};

struct TopDevice {
  std::string name;
  double busy = 0;                     // share of the interval
  std::map<std::string, double> idle;  // by reason; what was not told is not there
};

struct TopRun {
  std::string run_id;
  std::vector<std::string> processes;  // "engine 4711: paused"
  double seconds = 0;                  // length of the interval
  bool since_start = false;
  std::optional<double> requests_per_s, tokens_per_s;
  std::map<std::string, uint64_t> stalls;  // by cause; only if gaps were seen
  TopLatency ttft, itl;
  uint64_t launches = 0, launch_delay_p50_ns = 0, launch_delay_p99_ns = 0;
  std::vector<TopDevice> devices;
  uint64_t dropped = 0;
  std::map<std::string, uint64_t> blind_ns;  // by reason, the longest of the processes
  double own_cost = 0;                       // of one CPU, the dearest of the processes
  double budget = 0;                         // of one CPU; 0 = none
  uint64_t memory_bytes = 0;
};

// One look at all processes.
using TopLook = std::vector<analysis::Present>;

// By run id. A process that is not in `before`, or was started anew, is counted since its start.
std::vector<TopRun> TopNumbers(const TopLook& before, const TopLook& now);

}  // namespace slowtoken::cli
