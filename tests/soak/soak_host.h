// SoakHost: the host's side of a soak: an engine that serves requests on one thread, about 130 iterations a second of
// its clock (virtual_clock.h). Its NVTX calls go through the real headers (llmserve.h) into the handlers, its GPU
// records into CUPTI's buffers; an iteration's kernels lie between its launch and its tokens. No allocation after the
// constructor.
#pragma once

#include <array>
#include <cstdio>
#include <vector>

#include "driven_cupti.h"
#include "slowtoken/llmserve.h"

namespace slowtoken::soak {

// What the host has done so far: the truth.
struct HostTotals {
  uint64_t iterations = 0;
  uint64_t kernels = 0;    // records handed over
  uint64_t no_buffer = 0;  // records for which CUPTI got no buffer
  uint64_t requests = 0;   // finished
  uint64_t tokens = 0;
  uint64_t nvtx_events = 0;  // recorded calls: pushes and pops, starts and ends count one each
};

class SoakHost {
 public:
  static constexpr int kBatch = 8, kTokensEach = 2, kKernels = 400;

  SoakHost();
  // One iteration of a full batch: a graph launch, its kernels, a token for each request; the requests that are done
  // leave, and others take their places.
  void Iterate();
  // Hands the current buffer over, as a flush would.
  void HandOver();
  const HostTotals& totals() const { return totals_; }

 private:
  struct Running {
    std::array<char, 24> id{};
    llmserve_range life = 0;
    int tokens = 0;
  };

  void Admit(Running& running);
  void Launch();
  void EmitBatch();
  void Append(const void* record, size_t size, bool kernel);

  std::vector<CUpti_ActivityKernel10> graph_;  // the kernels of one launch
  std::array<Running, kBatch> batch_;
  HostTotals totals_;
  uint64_t next_request_ = 0;
  uint32_t correlation_ = 0;
  uint32_t thread_;
  uint8_t* buffer_ = nullptr;
  size_t size_ = 0, used_ = 0;
};

}  // namespace slowtoken::soak
