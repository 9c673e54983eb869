// InferredIterations: the iterations of an engine that emits none (tier 0), from its launches, graph replays and the
// names of its kernels. An estimate, and always called so. In the tools alone: what the recorder tells in the server,
// and whatever attribution splits, rests on what was said and never on this. As soon as any iteration range comes,
// nothing is inferred any more. Which work belongs to which launch is told by attribution's join (join_visitor.h).
// Called by TraceAnalysis; read after Finish. About 100 ns a record; memory: the launches that attribution still holds
// and those which began after the oldest of them, and 64 bytes an iteration.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/iteration_boundaries.h"
#include "analysis/kernel_role.h"
#include "attribution/gpu_record.h"
#include "attribution/launch_table.h"
#include "record/annotation.h"
#include "record/dictionary.h"
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

  // As JoinVisitor's OnWork, OnLaunch and OnToldUntil.
  void AddWork(const attribution::GpuRecord& record, const attribution::Launch& launch);
  void Add(const attribution::Launch& launch);
  void Settle(TimeNs told_until);

  // A wait of the host, which launches nothing and is not joined. Other calls are left alone.
  void AddWait(const record::ApiCall& call);
  void Add(const record::Annotation& annotation);

  // After attribution's Finish.
  void Finish();

  // By start.
  const std::vector<InferredIteration>& all() const { return all_; }

 private:
  // A call of a thread, and what came of it on the GPU.
  struct Step {
    LaunchedWork work;
    std::vector<std::pair<TimeNs, TimeNs>> intervals;  // of kernels and replays
    uint64_t thread = 0;                               // attribution::ThreadKey
    record::ProcessIndex process = 0;
    bool readback = false;
    bool other_than_preparing = false;
  };
  struct Thread {
    IterationBoundaries boundaries;
    InferredIteration open;
    std::vector<std::pair<TimeNs, TimeNs>> intervals;
    TimeNs last_decode_end = 0;  // of its last iteration's GPU work, if that decodes
    bool has_model = false, has_prefill = false, has_decode = false;
  };
  static constexpr size_t kMostSteps = 1u << 20;

  const KernelRole& RoleOf(record::ShapeId shape);
  void AddKernel(record::ShapeId shape, Step& step);
  void Keep(Step step);
  void Take(Thread& thread, const Step& step);
  void Close(Thread& thread);
  static InferredIteration::Kind KindOf(const Thread& thread);

  const record::Dictionary* dictionary_;
  absl::flat_hash_map<const attribution::Launch*, Step> joining_;  // launches that attribution still holds
  std::vector<Step> steps_;                                        // complete, not yet taken
  std::map<uint64_t, Thread> threads_;
  std::vector<std::optional<KernelRole>> roles_;  // by ShapeId
  std::vector<InferredIteration> all_;
  bool off_ = false;
};

}  // namespace slowtoken::analysis
