// StateLog: keeps what is told about threads. For tests.
#pragma once

#include <string>
#include <vector>

#include "record/visitor.h"

namespace slowtoken::sched {

class StateLog : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::OffCpu& e) override { off.push_back(e); }
  void On(const record::CpuSample& e) override { samples.push_back(e); }
  void On(const record::HostSample& e) override { host.push_back(e); }
  void On(const record::SourceStatus& e) override { statuses.push_back(e); }
  void On(const record::ThreadInfo& e) override { names.push_back(e); }

  // "10-70b": off the CPU from 10 to 70, blocked; p: preempted; "10-70b>": it went on on another CPU. In µs.
  std::vector<std::string> Off() const {
    std::vector<std::string> all;
    for (const record::OffCpu& e : off) {
      const char* reason = e.reason == record::OffCpuReason::kPreempted ? "p" : "b";
      all.push_back(std::to_string(e.start / 1000) + "-" + std::to_string(e.end / 1000) + reason +
                    (e.migrated ? ">" : ""));
    }
    return all;
  }

  // Of a thread, in [from, to], as far as what was told meets it.
  struct Sums {
    uint64_t migrations = 0;                    // from OffCpu
    uint64_t blocked = 0, preempted = 0;        // from OffCpu
    uint64_t sampled = 0, ran = 0, waited = 0;  // from CpuSample
    bool exact = true;
  };
  Sums Of(record::ThreadId thread) const {
    Sums sums;
    for (const record::OffCpu& e : off) {
      if (e.thread != thread) continue;
      (e.reason == record::OffCpuReason::kPreempted ? sums.preempted : sums.blocked) += e.end - e.start;
      sums.migrations += e.migrated ? 1 : 0;
    }
    for (const record::CpuSample& e : samples) {
      if (e.thread != thread) continue;
      sums.sampled += e.end - e.start;
      sums.ran += e.ran_ns;
      sums.waited += e.waited_ns;
      sums.exact = sums.exact && e.exact;
    }
    return sums;
  }

  void Clear() {
    off.clear();
    samples.clear();
    host.clear();
  }

  std::vector<record::OffCpu> off;
  std::vector<record::CpuSample> samples;
  std::vector<record::HostSample> host;
  std::vector<record::SourceStatus> statuses;
  std::vector<record::ThreadInfo> names;
};

}  // namespace slowtoken::sched
