// Config: what the user asked for, read from SLOWTOKEN_* once at start (tools/cli/run.cc is the other side).
// Starting thread only; no allocation.
#pragma once

#include <cstdint>

#include "base/settings.h"
#include "base/siphash.h"
#include "trace/flight_settings.h"

namespace slowtoken::capture {

struct Config {
  enum class GraphLevel : uint8_t { kNode, kLaunch };
  // What is asked about the host's threads: nothing; how long they ran and waited; each context switch too.
  enum class Sched : uint8_t { kOff, kTotals, kSwitches };
  // What is written: conclusions; those and a ring of the last seconds in full detail; everything.
  enum class Mode : uint8_t { kMetrics, kFlight, kTrace };

  uint64_t run_id = 0;                     // SLOWTOKEN_RUN_ID; drawn here if absent
  base::SipKey key;                        // SLOWTOKEN_KEY or the file SLOWTOKEN_KEY_FILE; drawn here if absent
  bool joinable = false;                   // the key came from outside: pseudonyms of several processes agree
  bool clear_ids = false;                  // SLOWTOKEN_IDS=clear
  char clear_domains[512] = {};            // SLOWTOKEN_CLEAR_DOMAINS, as given
  Mode mode = Mode::kFlight;               // SLOWTOKEN_MODE
  GraphLevel graph = GraphLevel::kLaunch;  // SLOWTOKEN_GRAPH; if absent: node in trace mode, else launch
  base::ServiceLevels slo;                 // SLOWTOKEN_SLO
  trace::FlightSettings flight;            // SLOWTOKEN_FLIGHT
  uint64_t trace_bytes = 4ull << 30;       // SLOWTOKEN_MAX_TRACE, the size cap of a trace
  uint32_t budget_ppm = 10'000;            // SLOWTOKEN_BUDGET, millionths of one CPU; 0: none
  base::Sampling sampling;                 // SLOWTOKEN_SAMPLE
  uint64_t memory_bytes = 64u << 20;       // SLOWTOKEN_MEMORY, the hard cap
  uint32_t flush_ms = 250;                 // SLOWTOKEN_FLUSH_MS
  char directory[512] = {};                // SLOWTOKEN_OUT, else the default place
  char run_directory[512] = {};            // the default place, whatever SLOWTOKEN_OUT says: sockets live here
  bool control = true;                     // SLOWTOKEN_CONTROL=off: no control socket
  Sched sched = Sched::kSwitches;          // SLOWTOKEN_SCHED
  bool sched_given = false;                // SLOWTOKEN_SCHED=switches stands there
  char labels[512] = {};                   // SLOWTOKEN_LABELS, as given
  char rules[512] = {};                    // SLOWTOKEN_RULES, the path of a rule pack
  char role[32] = {};                      // SLOWTOKEN_ROLE, else the program's short name, [a-z0-9_-] only

  // Never fails: what cannot be understood keeps its default and is named in the log.
  static Config FromEnvironment();
};

}  // namespace slowtoken::capture
