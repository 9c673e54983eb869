// A CUPTI client that keeps everything: buffers in the order they came back, records copied out of them in buffer
// order.
#pragma once

#include <cupti.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "simgpu/cupti/simcupti.h"

namespace simgpu_test {

inline constexpr CUpti_ActivityKind kKernelKind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
inline constexpr auto kSync = CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020;

struct Record {
  size_t buffer = 0;  // index of the buffer it came in
  std::vector<uint8_t> bytes;

  CUpti_ActivityKind kind() const { return *reinterpret_cast<const CUpti_ActivityKind*>(bytes.data()); }
  template <class T>
  const T& as() const {
    return *reinterpret_cast<const T*>(bytes.data());
  }
};

struct Returned {
  CUcontext context = nullptr;
  uint32_t stream = 0;
  uint8_t* data = nullptr;
  size_t size = 0, valid = 0;
  int thread = 0;  // gettid() of the completing thread
};

class Client {
 public:
  // How the request callback answers.
  size_t buffer_bytes = 64 * 1024;
  size_t max_records = 0;
  bool decline = false;
  bool misalign = false;
  int fill_byte = 0;                // what the client leaves in a buffer
  void (*in_complete)() = nullptr;  // run inside the complete callback, before the records are read
  void (*in_request)() = nullptr;

  // The process's client; RegisterCallbacks has no user pointer.
  static Client& Get();

  void Register();
  void Enable(std::initializer_list<CUpti_ActivityKind> kinds);
  void Flush() { cuptiActivityFlushAll(0); }
  void ForceFlush() { cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }

  std::vector<Record> Records() const;
  std::vector<Record> Of(std::initializer_list<CUpti_ActivityKind> kinds) const;
  template <class T>
  std::vector<T> All(CUpti_ActivityKind kind) const {
    std::vector<T> out;
    for (const Record& record : Of({kind})) out.push_back(record.as<T>());
    return out;
  }
  std::vector<CUpti_ActivityKernel10> Kernels() const {
    return All<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  }
  std::vector<Returned> Buffers() const;
  std::vector<int> RequestThreads() const;
  std::vector<uint8_t*> Given() const;                  // every buffer handed to CUPTI
  CUptiResult last_walk() const { return last_walk_; }  // how the walk over the last buffer ended

 private:
  static void OnRequest(uint8_t** buffer, size_t* size, size_t* max_records);
  static void OnComplete(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid);

  mutable std::mutex mutex_;
  std::vector<Record> records_;
  std::vector<Returned> buffers_;
  std::vector<int> request_threads_;
  std::vector<uint8_t*> given_;
  CUptiResult last_walk_ = CUPTI_SUCCESS;
};

inline SimcuptiStats Stats() {
  SimcuptiStats stats{};
  stats.struct_size = sizeof(stats);
  simcuptiStats(&stats);
  return stats;
}

// Waits until `condition` holds; false after five seconds.
template <class Condition>
bool Eventually(Condition condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    const timespec millisecond{0, 1'000'000};
    nanosleep(&millisecond, nullptr);
  }
  return false;
}

}  // namespace simgpu_test
