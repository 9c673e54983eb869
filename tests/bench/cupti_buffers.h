// CuptiBuffers: the synthetic kernel stream (kernel_stream.h) as CUPTI would hand it over: activity buffers of the real
// structs, and a CUPTI whose call-backs we drive ourselves. The records are stepped through by the toolkit's own
// cuptiActivityGetNextRecord where it is installed (it needs no driver), else by a walk of ours; Stepper() says which.
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <cstring>
#include <string>
#include <vector>

#include "cupti/api_table.h"
#include "kernel_stream.h"

namespace slowtoken::bench {

using GetNextRecord = CUptiResult (*)(uint8_t*, size_t, CUpti_Activity**);

// The records of whole steps, one after the other, and where each step lies.
class CuptiBuffers : public record::EventVisitor {
 public:
  struct Step {
    size_t first_record = 0;  // index into offsets()
    uint64_t start = 0;       // of its first launch call
    uint64_t end = 0;         // of its last launch call
  };

  CuptiBuffers(bool graph, size_t steps) {
    arena_.Reserve(64u << 20, false);
    dictionary_.Init(arena_, {}, losses_);
    KernelStream stream(7, dictionary_);
    for (size_t i = 0; i < steps; ++i) {
      steps_.push_back({offsets_.size(), 0, 0});
      stream.Step(graph, *this);
    }
    end_ = stream.now();
    offsets_.push_back(bytes_.size());
  }

  using EventVisitor::On;
  void On(const record::ApiCall& call) override {
    CUpti_ActivityAPI r{};
    r.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
    r.cbid = call.cbid;
    r.start = call.start;
    r.end = call.end;
    r.threadId = call.thread;
    r.correlationId = call.correlation;
    Append(&r, sizeof r);
    Step& step = steps_.back();
    if (step.start == 0) step.start = call.start;
    step.end = call.end;
  }
  void On(const record::Kernel& kernel) override {
    const record::KernelShape& shape = dictionary_.shape(kernel.shape);
    CUpti_ActivityKernel10 r{};
    r.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    r.start = kernel.start;
    r.end = kernel.end;
    r.registersPerThread = static_cast<uint16_t>(shape.registers);
    r.contextId = 1;
    r.streamId = dictionary_.lane(kernel.lane).stream;
    r.gridX = static_cast<int32_t>(shape.grid[0]);
    r.gridY = static_cast<int32_t>(shape.grid[1]);
    r.gridZ = 1;
    r.blockX = static_cast<int32_t>(shape.block[0]);
    r.blockY = r.blockZ = 1;
    r.dynamicSharedMemory = static_cast<int32_t>(shape.dynamic_shared);
    r.correlationId = kernel.correlation;
    r.graphId = kernel.graph_id;
    r.graphNodeId = kernel.graph_node_id;
    r.name = Name(shape.name);
    Append(&r, sizeof r);
    ++kernels_;
  }

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  const std::vector<size_t>& offsets() const { return offsets_; }  // of each record, and the end
  const std::vector<Step>& steps() const { return steps_; }
  size_t records() const { return offsets_.size() - 1; }
  size_t kernels() const { return kernels_; }
  uint64_t end() const { return end_; }  // of the last kernel

 private:
  // CUPTI's names are 0-terminated and stay where they are.
  const char* Name(record::StringId id) {
    if (names_.size() <= id) names_.resize(id + 1, nullptr);
    if (names_[id] == nullptr) names_[id] = strdup(std::string(dictionary_.text(id)).c_str());
    return names_[id];
  }

  void Append(const void* record, size_t size) {
    offsets_.push_back(bytes_.size());
    const auto* data = static_cast<const uint8_t*>(record);
    bytes_.insert(bytes_.end(), data, data + size);
  }

  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  std::vector<uint8_t> bytes_;
  std::vector<size_t> offsets_;
  std::vector<Step> steps_;
  std::vector<const char*> names_;
  size_t kernels_ = 0;
  uint64_t end_ = 0;
};

// Steps by size of kind, for machines without the toolkit's library.
inline CUptiResult OwnNextRecord(uint8_t* buffer, size_t bytes, CUpti_Activity** record) {
  uint8_t* next = buffer;
  if (*record != nullptr) {
    const bool kernel = (*record)->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    next = reinterpret_cast<uint8_t*>(*record) + (kernel ? sizeof(CUpti_ActivityKernel10) : sizeof(CUpti_ActivityAPI));
  }
  if (next >= buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

inline GetNextRecord Stepper() {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so"}) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void* symbol = handle == nullptr ? nullptr : dlsym(handle, "cuptiActivityGetNextRecord");
    if (symbol != nullptr) return reinterpret_cast<GetNextRecord>(symbol);
  }
  return &OwnNextRecord;
}

}  // namespace slowtoken::bench
