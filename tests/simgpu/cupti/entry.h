// The gate of every exported CUPTI function: the client's probe, bad moments, planned errors, re-entry from buffer
// callbacks, driver presence.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>

namespace simgpu::cupti {

// What a function needs and where it may be called.
enum EntryRule : uint32_t {
  kNeedsNothing = 0,
  kNeedsDriver =
      1u << 0,  // 999 where no driver can be loaded (as the real library answers there), 15 in a forked child
  kNotInBufferCallback =
      1u << 1,          // from a request or complete callback it is a violation, answered CUPTI_ERROR_INVALID_OPERATION
  kHarmless = 1u << 3,  // fine even in a buffer callback under fault cupti.strict
  kGlobalActivity = 1u << 2,  // fault cupti.mix=all refuses it after cuptiSubscribe_v2
};

// One per call site: remembers whether the plan has a rule for the function, so that a plan without costs one load.
struct EntryPoint {
  const char* function;
  uint32_t rules;
  std::atomic<int> planned{-1};  // -1 unknown, 0 no rule, 1 a rule
};

// CUPTI_SUCCESS: go on. Any other: what the function must return.
CUptiResult Enter(EntryPoint* point);

// Keeps `result` for cuptiGetLastError and hands it on.
CUptiResult Done(CUptiResult result);

// cuptiSubscribe_v2 succeeded: fault cupti.mix may refuse global calls from now on.
void NoteSubscribedV2(bool v2);
bool SubscribedV2();

}  // namespace simgpu::cupti

// First statement of an exported function; returns from it when the gate says so.
#define SIMCUPTI_ENTER(function_name, rule_bits)                                                  \
  static ::simgpu::cupti::EntryPoint entry_point{#function_name, (rule_bits)};                    \
  if (const CUptiResult refused = ::simgpu::cupti::Enter(&entry_point); refused != CUPTI_SUCCESS) \
  return ::simgpu::cupti::Done(refused)
