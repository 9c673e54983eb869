// KernelTable: how often and how long each kernel ran, by name. Add is an array access by shape id and a histogram
// increment (about 5 ns); names are looked at only once, when a shape is first seen. Single threaded.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/log_histogram.h"
#include "record/dictionary.h"
#include "record/gpu_events.h"

namespace slowtoken::analysis {

class KernelTable {
 public:
  explicit KernelTable(const record::Dictionary& dictionary) : dictionary_(&dictionary) {}

  // A kernel whose times are true.
  void Add(const record::Kernel& kernel) { rows_[RowOf(kernel.shape)].durations.Add(kernel.end - kernel.start); }

  struct Entry {
    std::string name;  // demangled, safe
    const char* category = "";
    uint64_t count = 0, total_ns = 0, p50_ns = 0, max_ns = 0;
  };
  // By total time, greatest first (then by name).
  std::vector<Entry> Entries() const;

 private:
  struct Row {
    record::StringId name = 0;
    LogHistogram durations;
  };
  uint32_t RowOf(record::ShapeId shape) {
    if (shape < row_of_shape_.size() && row_of_shape_[shape] != kNone) return row_of_shape_[shape];
    return NewRowOf(shape);
  }
  uint32_t NewRowOf(record::ShapeId shape);

  static constexpr uint32_t kNone = ~0u;
  const record::Dictionary* dictionary_;
  std::vector<uint32_t> row_of_shape_;
  absl::flat_hash_map<record::StringId, uint32_t> row_of_name_;
  std::vector<Row> rows_;
};

}  // namespace slowtoken::analysis
