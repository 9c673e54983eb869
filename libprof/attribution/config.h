// EngineConfig: how much the attribution engine may remember and when it makes up its mind. Filled in by the worker
// (InProcess) or by an offline tool (Offline) before Engine::Init; plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slowtoken::attribution {

// Fixed capacities. What does not fit is dropped and counted (base/loss.h); docs/ATTRIBUTION.md says how it shows.
struct Limits {
  uint32_t requests = 2048;         // alive at once, and those that ended in the last seconds
  uint32_t request_events = 8192;   // tokenise, queued, waiting, preempted … of those requests
  uint32_t tokens = 36864;          // token and send records not yet made into gaps
  uint32_t own_iterations = 36864;  // (request, iteration) pairs not yet made into gaps
  uint32_t result_blocks = 30720;   // 64 bytes each: gaps of requests that have not ended (about two a block)
  uint32_t iterations = 1536;
  uint32_t interval_blocks = 5120;   // 256 bytes each: 15 intervals of GPU work
  uint32_t interval_scratch = 8192;  // most intervals of one iteration, and of one partition
  uint32_t batch_groups = 64;        // (engine, dp_rank) pairs
  uint32_t batch_spans = 8192;       // a row that stays the same over many iterations is one span
  uint32_t batch_marks = 1024;       // `batch` marks not yet applied
  uint32_t batch_rows = 12288;       // rows of those marks
  uint32_t threads = 256;            // threads with iteration ranges
  uint32_t ranges = 8192;            // iteration ranges of the last seconds
  uint32_t launches = 32768;         // launches that still wait for GPU records
  uint32_t gpu_records = 24576;      // GPU records that still wait for their launch or iteration
  uint32_t gpu_pieces = 8192;        // GPU records not yet counted as busy time
  uint32_t host_work = 4096;         // kv.*, jit, gc, tokenise ranges and the like of the last seconds
  uint32_t off_cpu = 16384;          // times of the last seconds in which a watched thread was off the CPU
  uint32_t cpu_samples = 2048;       // samples of what those threads did
  uint32_t shapes = 8192;            // kernel shapes whose category is kept
  uint32_t source_changes = 256;     // sources that fell silent or spoke again
};

struct EngineConfig {
  Limits limits;
  // Processes whose events are read together. Nothing becomes final before each of them has said Advance.
  uint32_t process_count = 1;
  // Service levels; 0 = none given: the rule with running medians decides what a stall is.
  uint64_t slo_ttft_ns = 0;
  uint64_t slo_itl_ns = 0;
  bool watch_waits = false;  // Engine::Watch is called
  // How long after its end something becomes final. Events may be late by half of this against the watermark.
  uint64_t settle_ns = 500'000'000;
  // How long after its end something waits for what is missing; then it is final and partial.
  uint64_t deadline_ns = 2'000'000'000;
  // A request that was never seen to end, and of which nothing was heard for this long, is given up (partial).
  uint64_t idle_ns = 60'000'000'000;

  // For the worker in the serving process: about 16 MB.
  static EngineConfig InProcess() { return {}; }

  // For a tool that reads a whole run of `processes` processes: about 600 MB of address space.
  static EngineConfig Offline(uint32_t processes = 1);

  // What Engine::Init takes from its arena.
  size_t ArenaBytes() const;
};

}  // namespace slowtoken::attribution
