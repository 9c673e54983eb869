// KinetoEvents: the events of one Kineto trace as events of the vocabulary. docs/IMPORT.md says what becomes what.
// JsonScan delivers to it; what it made lies in store(), with times counted from kTimeBias until the base time of the
// file is known (it may stand at its end). Single threaded, offline. About 0.3 µs an event.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "import/decimal.h"
#include "import/event_kind.h"
#include "import/event_store.h"
#include "import/json_scan.h"
#include "import/step_iterations.h"
#include "record/dictionary.h"

namespace slowtoken::importing {

// Makes every time that can be given a positive one: 0 stays "unknown".
inline constexpr int64_t kTimeBias = kMostNs + 1;

class KinetoEvents final : public EventReceiver {
 public:
  // `read_up_to` is told how far the reading has come.
  KinetoEvents(record::Dictionary& dictionary, std::function<void(uint64_t)> read_up_to);

  void On(const SourceEvent& event) override;
  void ReadUpTo(uint64_t byte) override { read_up_to_(byte); }

  // After the last event: what can only be told when all are known.
  void Finish(std::optional<uint32_t> rank);

  EventStore& store() { return store_; }

  // The domains of ranges, by their ids, from 1; those that have no range are left out.
  static constexpr const char* kDomains[] = {record::kUserAnnotationDomain, "gpu_user_annotation", "cpu_op",
                                             "python_function", record::kCollectiveDomain};
  bool UsesDomain(size_t index) const { return domain_used_[index]; }

  struct Window {  // what the profiler says it recorded; biased; 0 = it does not say
    int64_t first = 0, last = 0;
  };
  const Window& window() const { return window_; }
  const std::set<uint32_t>& devices() const { return devices_; }
  const std::map<record::ThreadId, record::StringId>& thread_names() const { return thread_names_; }
  // Of the process with most host events; 0 if there are none. More than one: `process_count`.
  uint64_t pid() const;
  size_t process_count() const { return host_events_.size(); }

  struct Counts {
    uint64_t taken = 0;
    uint64_t without_time = 0;               // host events without a time, left out
    std::map<std::string, uint64_t> others;  // left out, by category or kind of event
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Times {
    record::TimeNs start = 0, end = 0;
  };
  enum Domain : uint8_t { kAnnotationDomain, kGpuAnnotationDomain, kCpuOpDomain, kPythonDomain, kCollectiveDomain };

  Times TimesOf(const SourceEvent& event) const;
  void AddComplete(const SourceEvent& event);
  void AddHost(const SourceEvent& event, EventKind kind, const Times& times);
  void AddCall(const SourceEvent& event, record::ApiDomain domain, const Times& times);
  void AddHostRange(const SourceEvent& event, Domain domain, const Times& times);
  void AddGpu(const SourceEvent& event, EventKind kind, Times times);
  void AddKernel(const SourceEvent& event, const Times& times);
  void AddCopy(const SourceEvent& event, const Times& times);
  void AddSet(const SourceEvent& event, const Times& times);
  void AddSync(const SourceEvent& event, const Times& times);
  void AddGpuRange(const SourceEvent& event, Domain domain, std::string_view message, const Times& times);
  void AddMetadata(const SourceEvent& event);
  void AddWindow(const Times& times);
  void LeaveOut(std::string_view what);
  record::LaneId LaneOf(const SourceEvent& event);
  void AddCollectiveFields(const SourceEvent& event);
  record::DomainId Use(Domain domain) {
    domain_used_[domain] = true;
    return domain + record::DomainId{1};
  }

  record::Dictionary* dictionary_;
  std::function<void(uint64_t)> read_up_to_;
  EventStore store_;
  StepIterations steps_;
  Window window_;
  Counts counts_;
  std::set<uint32_t> devices_;
  std::map<record::ThreadId, record::StringId> thread_names_;
  absl::flat_hash_map<int64_t, uint64_t> host_events_;  // by pid
  std::vector<record::ApiClass> class_of_call_;         // by StringId
  absl::flat_hash_set<record::CorrelationId> of_kernels_;
  std::vector<record::PayloadField> fields_;  // of the event at hand
  std::array<bool, std::size(kDomains)> domain_used_{};
  uint64_t gpu_ranges_ = 0;
};

}  // namespace slowtoken::importing
