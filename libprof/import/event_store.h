// EventStore: the events of one process in memory until all of them are known, then told in the order of their ends, as
// a recorder would have told them: with an Advance after each second or 20,000 events. What importers fill. About 64
// bytes and 0.1 µs an event. Single threaded, offline.
#pragma once

#include <vector>

#include "record/visitor.h"

namespace slowtoken::importing {

class EventStore {
 public:
  void Add(const record::Kernel& event) { kernels_.push_back(event); }
  void Add(const record::Memcpy& event) { copies_.push_back(event); }
  void Add(const record::Memset& event) { sets_.push_back(event); }
  void Add(const record::ApiCall& event) { calls_.push_back(event); }
  void Add(const record::Synchronization& event) { syncs_.push_back(event); }
  void Add(const record::Overhead& event) { overheads_.push_back(event); }
  void Add(const record::NvtxRange& event);  // copies its fields
  void Add(const record::Annotation& event) { annotations_.push_back(event); }

  std::vector<record::Kernel>& kernels() { return kernels_; }
  std::vector<record::ApiCall>& calls() { return calls_; }
  bool has_gpu_work() const { return !kernels_.empty() || !copies_.empty() || !sets_.empty(); }

  // Adds `by` to every time that is not 0 (= unknown).
  void Shift(int64_t by);

  // Least and greatest time that is not 0, in two's complement; first > last where there is none.
  struct Extent {
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
  };
  Extent extent() const;

  // Tells everything. The last Advance is at `end`, or at the end of the last event if that is later. Annotations of
  // iterations come twice, as a recorder tells them: when they begin (end = 0) and when they have ended.
  void Tell(record::TimeNs end, record::EventVisitor& out) const;

 private:
  enum class Kind : uint8_t { kKernel, kCopy, kSet, kCall, kSync, kOverhead, kRange, kAnnotation, kAnnotationStart };
  struct Place {
    record::TimeNs time = 0;
    uint32_t index = 0;
    Kind kind = Kind::kKernel;
  };
  struct Range {
    record::NvtxRange range;
    size_t first_field = 0;
    size_t field_count = 0;
  };
  // visit(start, end, kind, index) for every event.
  template <typename Store, typename Visit>
  static void ForEachTimes(Store& store, Visit visit);
  std::vector<Place> InOrder() const;
  void Tell(const Place& place, record::EventVisitor& out) const;

  std::vector<record::Kernel> kernels_;
  std::vector<record::Memcpy> copies_;
  std::vector<record::Memset> sets_;
  std::vector<record::ApiCall> calls_;
  std::vector<record::Synchronization> syncs_;
  std::vector<record::Overhead> overheads_;
  std::vector<Range> ranges_;
  std::vector<record::Annotation> annotations_;
  std::vector<record::PayloadField> fields_;
};

}  // namespace slowtoken::importing
