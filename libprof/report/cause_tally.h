// CauseTally: how often each cause came, and what it cost. Used by the text and the HTML report. Single threaded.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string_view>
#include <vector>

namespace slowtoken::report {

class CauseTally {
 public:
  struct Row {
    const char* cause = "";
    uint64_t count = 0;
    uint64_t sure = 0;  // with high confidence
    uint64_t excess_ns = 0;
  };

  void Add(const v1::Finding& finding, uint64_t excess_ns);

  std::vector<Row> Rows() const;  // the costliest first

 private:
  std::vector<Row> rows_;  // few: one a cause
};

}  // namespace slowtoken::report
