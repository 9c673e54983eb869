// The part of the fault plan that the CUPTI stand-in plays. The plan itself (SIMGPU_FAULTS) is parsed by the engine in
// libcuda.so.1; this file asks it once, when the engine is connected, and keeps typed values. README.md in this folder
// lists every point. Reading Faults() is free of locks; rules with a percentage draw from one seeded sequence, so a run
// can be repeated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simgpu/core/tool_interface.h"

namespace simgpu::cupti {

// Bits naming which records a rule is for. The words of the plan are in faults.cc.
enum RecordClass : uint32_t {
  kClassKernel = 1u << 0,       // outside graphs
  kClassGraphKernel = 1u << 1,  // kernel records of graph nodes
  kClassMemcpy = 1u << 2,       // peer copies included
  kClassMemset = 1u << 3,
  kClassGraphTrace = 1u << 4,
  kClassRuntime = 1u << 5,
  kClassDriver = 1u << 6,
  kClassSync = 1u << 7,  // CUDA event records included
  kClassExternal = 1u << 8,
  kClassOther = 1u << 9,
  kClassDevice = kClassKernel | kClassGraphKernel | kClassMemcpy | kClassMemset | kClassGraphTrace,
  kClassAll = (1u << 10) - 1,
};

// "<class>:<number>" of the plan, e.g. "graph_kernel:95".
struct RecordRule {
  uint32_t classes = 0;  // 0 = the rule is absent
  int64_t number = 0;    // percent or nanoseconds, by rule
};

struct FaultPlan {
  // identity and refusals
  int64_t version = -1;    // cuptiGetVersion; -1 = the header's
  std::string other_tool;  // a tool that already subscribed; "" = none
  uint32_t mix_refused =
      0;  // functions refused after cuptiSubscribe_v2: bit 0 dropped count, 1 timestamp callback, 2 everything global
  std::vector<RecordRule> kind_errors;  // classes = activity kind, number = result of enabling it

  // buffers
  int64_t prefetch = 0;           // buffers asked for at once
  int64_t delay_complete = 0;     // finished buffers kept back until more than this many wait
  int64_t keep = 0;               // buffers never returned
  int64_t write_after_stop = -1;  // ms between writes into unreturned buffers once the client stopped; -1 = off
  int64_t slow_complete_ms = 0;
  int64_t slow_request_ms = 0;
  bool withhold_partial = false;
  bool incomplete_start = false;  // running records carry their submit time as start
  bool shuffle_in = false, shuffle_across = false, shuffle_buffers = false;

  // records
  RecordRule repeat, drop, drop_counted, zero, shift;
  int64_t zero_after = -1;  // device records with times before times go to zero; -1 = off
  int64_t drift_ppm = 0;
  int64_t jitter_ns = 0;
  int64_t first_k = 0, first_k_shift_ns = 0;
  int64_t share_id = 0;
  int64_t id_base = -1;
  int64_t unknown_kind_every = 0;
  int64_t extra_bytes = 0;
  int64_t unknown_cbid_every = 0;
  bool recycle_names = false;
  bool silent_after_disable = false;

  // callbacks and life cycle
  bool garbage = false;
  int64_t lose_callbacks_after = -1;
  int64_t fatal_after = -1;  // records written before the STATE domain's fatal error
  bool finalize_abort = false;
  bool abort_before_main = false, abort_after_exit = false, abort_in_child = false;
  bool strict = false;
  bool abort_on_violation = false;
  int64_t deadlock_ms = 5000;
};

// The plan in force; the default plan before the engine is connected.
const FaultPlan& Faults();

// Reads the plan from the engine. Called once, before the first hook can run. Ends the process with a message on a
// malformed value.
void LoadFaults(const SimgpuEngineApi& engine);

// True in `percent` of calls.
bool Chance(int64_t percent);

// Uniform in [0, bound).
uint64_t RandomBelow(uint64_t bound);

inline bool Hit(const RecordRule& rule, uint32_t record_class) {
  return (rule.classes & record_class) != 0 && Chance(rule.number);
}

}  // namespace simgpu::cupti
