// FileHeader: what a trace says about the process that recorded it. Filled once at start by the session (or an
// importer), written into every chunk by ChunkEncoder, which copies the struct but not the texts: they must live as
// long as the encoder. Plain data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/time.h"

namespace slowtoken::trace {

struct Label {
  std::string_view key;
  std::string_view value;
};

// What of the process's events a file holds. A process may leave several files; the chunks of those with the same part
// are one sequence.
enum class FilePart : uint8_t {
  kWhole,      // everything
  kSummaries,  // summaries, histograms, counters, triggers; older files of it are removed as newer ones fill
  kDetail,     // everything but summaries; a ring: older files of it are removed, and dumps hold pieces of it
};

struct FileHeader {
  std::string_view run_id;
  std::string_view role;         // "engine", "frontend", "worker" …
  uint64_t pid = 0;              // in the process's own pid namespace
  uint64_t pid_start_ticks = 0;  // field 22 of /proc/self/stat
  std::string_view boot_id;      // /proc/sys/kernel/random/boot_id
  int64_t timens_offset_ns = 0;  // "monotonic" line of /proc/self/timens_offsets
  base::TimeNs start = 0;        // CLOCK_MONOTONIC when recording began
  base::TimeNs start_utc = 0;    // CLOCK_REALTIME at that instant
  std::string_view host;         // pseudonym of the host name
  std::string_view key_id;       // names the pseudonym key; equal means request ids join
  bool ids_joinable = false;     // false: the process drew its own key
  uint64_t memory_cap_bytes = 0;
  bool graph_nodes = false;  // kernels inside graphs are recorded one by one
  bool tsc_usable = false;
  std::string_view writer_version;
  std::span<const Label> labels;  // SLOWTOKEN_LABELS
  FilePart part = FilePart::kWhole;
};

}  // namespace slowtoken::trace
