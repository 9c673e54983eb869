// The truth file: what really happened, written by the demo itself as JSON lines (docs: tools/demo/README.md), without
// NVTX and without any of the profiler's code. Add from any thread: it queues the line; one thread writes whole lines,
// appending, so that several processes can share one file. Does nothing where no file was asked for.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "core/clock.h"
#include "core/request.h"

namespace slowtoken::demo {

struct TruthToken {
  int64_t n = 0, n_new = 1;  // n: the last token of the emission, from 1
  TimeNs commit = 0;
  Interval send;
};

struct TruthRequest {
  std::string id;
  TimeNs arrival = 0;
  Interval tokenize;
  TimeNs queued = 0, scheduled = 0;  // 0: never
  std::vector<int64_t> iterations;
  std::vector<Interval> preempted;
  std::vector<TruthToken> tokens;
  FinishReason finish = FinishReason::kNone;
};

struct TruthRow {
  std::string id;
  int64_t n_tok = 0;
  char kind = 'd';
};

struct TruthIteration {
  int64_t iter = 0, kernels = 0;
  bool graph = false;
  Interval schedule, forward, sample, gpu, gpu_sample;
  std::vector<TruthRow> rows;
};

// A cause that a scenario brought about, and the requests it hit.
struct TruthInjection {
  std::string cause, variant;  // variant: empty where there is one way only
  Interval time;
  std::vector<std::string> requests;
};

std::string ToJson(const TruthInjection& injection);
std::string ToJson(const TruthRequest& request);
std::string ToJson(const TruthIteration& iteration);
// `thread`: who was held up; `lost_ns`: for how long in all, within the interval.
std::string JitterJson(const Interval& interval, const std::string& thread, TimeNs lost_ns);

class TruthFile {
 public:
  // Opens `path` for appending; an empty path means no truth file. `create`: also empties it.
  absl::Status Open(const std::string& path, bool create);
  ~TruthFile() { Close(); }

  bool enabled() const { return fd_ >= 0; }
  void Add(std::string line);

  // Writes what is queued and closes. False if a write failed at any time.
  bool Close();

 private:
  void Run();
  void Write(const std::vector<std::string>& lines);

  int fd_ = -1;
  bool failed_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> queue_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace slowtoken::demo
