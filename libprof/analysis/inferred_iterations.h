// InferredIterations: the iterations of an engine that emits none (tier 0), from its launches, graph replays and the
// names of its kernels. An estimate, and always called so. In the tools alone: what the recorder tells in the server,
// and whatever attribution splits, rests on what was said and never on this. As soon as any iteration range comes,
// nothing is inferred any more. Events in any order between two Advance of a process; read after Finish.
// About 100 ns a record; memory: the launches of the last second of the trace, and 64 bytes an iteration.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <utility>
#include <vector>

#include "analysis/iteration_boundaries.h"
#include "record/annotation.h"
#include "record/dictionary.h"
#include "record/gpu_events.h"
#include "record/host_events.h"

namespace slowtoken::analysis {

struct InferredIteration {
  enum Kind : uint8_t { kUnknown, kDecode, kPrefill, kMixed };
  static constexpr const char* kKindNames[] = {"unknown", "decode", "prefill", "mixed"};

  TimeNs start = 0, end = 0;          // of its launching calls
  TimeNs gpu_start = 0, gpu_end = 0;  // 0 = no GPU record with a time
  uint64_t busy_ns = 0;               // union of its kernels and replays
  uint64_t since_last_ns = 0;  // from the end of the GPU work of the thread's last one, where both decode; else 0
  uint32_t kernels = 0;
  uint32_t graph_launches = 0;
  record::ProcessIndex process = 0;
  Kind kind = kUnknown;
};

class InferredIterations {
 public:
  explicit InferredIterations(const record::Dictionary& dictionary) : dictionary_(&dictionary) {}

  void Add(const record::Kernel& kernel);
  void Add(const record::Memcpy& copy);
  void Add(const record::GraphLaunch& graph);
  void Add(const record::ApiCall& call);
  void Add(const record::Annotation& annotation);
  void Advance(record::ProcessIndex process, TimeNs watermark);
  void Finish();

  // By start.
  const std::vector<InferredIteration>& all() const { return all_; }

 private:
  // What a kernel's name says, by shape.
  struct Meaning {
    bool known = false;
    bool sampling = false, preparing = false, model = false, prefill_attention = false, decode_attention = false;
  };
  // The GPU work of one correlation id.
  struct GpuWork {
    std::vector<std::pair<TimeNs, TimeNs>> intervals;  // of kernels and replays
    uint32_t graph_id = 0;
    uint32_t kernels = 0;
    bool readback = false;
    bool sampling = false, other_than_preparing = false, model = false;
    bool prefill_attention = false, decode_attention = false;
  };
  struct Thread {
    IterationBoundaries boundaries;
    InferredIteration open;
    std::vector<std::pair<TimeNs, TimeNs>> intervals;
    TimeNs last_decode_end = 0;      // of its last iteration's GPU work, if that decodes
    record::CorrelationId last = 0;  // a run-time call and the driver call in it have one
    bool has_model = false, has_prefill = false, has_decode = false;
  };
  struct Process {
    std::vector<record::ApiCall> calls;
    absl::flat_hash_map<record::CorrelationId, GpuWork> work;
    std::map<record::ThreadId, Thread> threads;
  };
  static constexpr TimeNs kPatience = 1'000'000'000;  // until a launch's GPU records have come
  static constexpr size_t kMostCalls = 1u << 20;

  Process& Of(record::ProcessIndex process);
  const Meaning& MeaningOf(record::ShapeId shape);
  void Settle(record::ProcessIndex process, TimeNs until);
  static LaunchedWork Launched(const record::ApiCall& call, const GpuWork& gpu);
  void Take(Thread& thread, const LaunchedWork& work, const GpuWork& gpu);
  void Close(Thread& thread);
  static InferredIteration::Kind KindOf(const Thread& thread);

  const record::Dictionary* dictionary_;
  std::vector<Process> processes_;
  std::vector<Meaning> meanings_;  // by ShapeId
  std::vector<InferredIteration> all_;
  bool off_ = false;
};

}  // namespace slowtoken::analysis
