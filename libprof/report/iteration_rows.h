// The iterations of a moment as rows of a table: when, how long, of what kind, what they computed for the request that
// it is about and for whom else. Used by `why` and by the page's waterfall of a request. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/moment.h"

namespace slowtoken::report {

inline constexpr size_t kMostIterationRows = 12;
inline constexpr size_t kIterationRowColumns = 64;  // of `with`
inline constexpr const char* kIterationRowsWith = "with (p prefill, c chunk, d decode, r again)";

struct IterationRow {
  uint64_t iter = 0;
  int64_t at_ns = 0;  // from the window's start; negative: it began before
  uint64_t length_ns = 0;
  uint64_t gpu_ns = 0;
  const char* kind = "";
  std::string own;   // "d1": what it computed for the request
  std::string with;  // "11112222 p512 and 3 more"
};

struct IterationRows {
  std::vector<IterationRow> rows;  // by start
  size_t all = 0;
};

// At most so many rows, and so many columns of others in each.
IterationRows IterationRowsOf(const Moment& moment, size_t most = kMostIterationRows,
                              size_t columns = kIterationRowColumns);

}  // namespace slowtoken::report
