// VersionPolicy: what a CUPTI of a given API version may be asked to do. cuptiGetVersion counts 1, 2 … 28 up to CUDA
// 12.9 and major·10000 + minor·100 + patch from 13.0 on (cupti_version.h). Pure data, constexpr; one place for all
// version gates.
#pragma once

#include <cstdint>

namespace slowtoken::cupti {

inline constexpr uint32_t kApiCuda12_4 = 22;
inline constexpr uint32_t kApiCuda12_6 = 24;
inline constexpr uint32_t kApiCuda12_9 = 27;
inline constexpr uint32_t kApiCuda13_0 = 130000;
inline constexpr uint32_t kApiCuda13_1Update1 = 130101;

struct VersionPolicy {
  // Older than CUDA 12.4: record layouts unknown to us, refuse politely (bug log row 62).
  bool supported = false;
  // A request for a buffer may be answered with none: crashes before 12.9 (bug log rows 42, 43).
  bool null_buffer = false;
  // One buffer a thread. Switched off where a request cannot be declined, so that few buffers suffice.
  bool per_thread_buffers = false;
  // Buffers and kinds may be given to CUPTI a second time, after another client had it or it was torn down, and a first
  // time after graphs were built. Before 12.6 CUPTI crashes or hangs then if graphs are alive (bug log rows 29, 30).
  bool rearm = false;
  // What is left of "kinds are enabled once": before 13.1 update 1 every collection session of a process after its
  // first carries wrong correlation ids for graph launches. After re-arming, records from graphs are then kept without
  // one.
  bool graph_ids_after_rearm = false;
  // Profiling single nodes hangs graph replays before 12.6 (bug log row 28).
  bool graph_nodes = false;

  static constexpr VersionPolicy For(uint32_t version) {
    VersionPolicy policy;
    policy.supported = version >= kApiCuda12_4;
    policy.null_buffer = version >= kApiCuda12_9;
    policy.per_thread_buffers = version >= kApiCuda12_9;
    policy.rearm = version >= kApiCuda12_6;
    policy.graph_ids_after_rearm = version < kApiCuda13_0 || version >= kApiCuda13_1Update1;
    policy.graph_nodes = version >= kApiCuda12_6;
    return policy;
  }
};

}  // namespace slowtoken::cupti
