// ProcessInfo: what the trace files of a process say about it, and what is wrong with them. Filled by TraceFile, kept
// by TraceSet; read by the command line, reports and exports. Plain data, offline only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reader/damage.h"
#include "record/ids.h"

namespace slowtoken::reader {

struct ProcessInfo {
  record::ProcessIndex index = 0;  // the `process` of its events
  std::string path;

  // From the file header.
  std::string run_id;
  std::string role;  // e.g. "engine", "frontend", "worker"
  uint64_t pid = 0;
  uint64_t pid_start_ticks = 0;  // field 22 of /proc/PID/stat: tells two processes of one pid apart
  std::string boot_id;
  int64_t timens_offset_ns = 0;  // CLOCK_MONOTONIC of the process = the host's + this; the reader takes it off again
  record::TimeNs start = 0;      // CLOCK_MONOTONIC when recording began (time-namespace offset taken off)
  record::TimeNs start_utc = 0;  // CLOCK_REALTIME at the same instant
  std::string host;              // pseudonym of the host name
  std::string key_id;            // names the pseudonym key, not the key; equal means request ids join
  bool ids_joinable = false;     // false: the process drew its own key, its request ids join with nobody's
  uint64_t memory_cap_bytes = 0;
  bool graph_nodes = false;  // kernels inside graphs were recorded one by one
  bool tsc_usable = false;
  std::string writer_version;  // slowtoken version that wrote it
  uint32_t format_version = 0;
  std::vector<std::pair<std::string, std::string>> labels;  // SLOWTOKEN_LABELS

  // Full detail (as far as it was recorded at all) is in what was read from here on, without a gap. 0: from the
  // beginning. UINT64_MAX: none is. While replaying: as far as has been read.
  record::TimeNs detail_from = 0;
  uint32_t files = 1;  // read as one: segments of the flight ring, dumps, a file of summaries
  // From reading. Complete after Replay; after Open only what the first chunk shows.
  uint64_t file_bytes = 0;
  uint64_t chunks = 0;     // chunks read
  bool clean_end = false;  // the end frame was seen
  record::TimeNs last_watermark = 0;
  std::vector<Damage> damage;  // at most 1,000; `damage_count` has them all
  uint64_t damage_count = 0;
  uint64_t inside_damage_count = 0;  // those that IsInside()
  std::vector<std::pair<std::string, uint64_t>>
      losses;  // newest totals by cause (also causes of later versions), not zero

  bool HasInsideDamage() const;  // `verify` exits 1

  // The process that wrote it is alive on this machine: same boot, same pid, same start.
  bool IsRunning() const;
};

// When the process with this id started, as pid_start_ticks; 0 if there is none, as far as this pid namespace shows.
uint64_t StartTicksOf(uint64_t pid);

// This process: pid, pid_start_ticks and boot_id, as far as the system tells.
ProcessInfo ThisProcess();

}  // namespace slowtoken::reader
