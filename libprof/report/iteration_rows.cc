#include "report/iteration_rows.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "report/json.h"

namespace slowtoken::report {
namespace {

std::string RowText(const record::BatchRow& row) {
  return absl::StrCat(std::string(1, record::kRowKindLetters[static_cast<size_t>(row.kind)]), row.n_tok);
}

std::string With(const Moment::Iteration& iteration, record::RequestId req) {
  std::string out;
  size_t others = 0;
  for (const record::BatchRow& row : iteration.rows) {
    if (row.req == req) continue;
    if (++others > 2) continue;
    absl::StrAppend(&out, out.empty() ? "" : ", ", RequestName(row.req, "").substr(0, 8), " ", RowText(row));
  }
  if (others > 2) absl::StrAppend(&out, " and ", others - 2, " more");
  return out;
}

IterationRow RowOf(const Moment::Iteration& iteration, const Moment::Window& window) {
  const record::IterationSummary& s = iteration.summary;
  IterationRow row{.iter = s.key.iter,
                   .at_ns = s.start > window.start ? s.start - window.start : 0,
                   .length_ns = s.end - std::min(s.start, s.end),
                   .gpu_ns = s.gpu_busy_ns,
                   .kind = s.dummy   ? "dummy"
                           : s.graph ? "graph"
                                     : "eager",
                   .own = iteration.own ? "" : "not in it",
                   .with = With(iteration, window.req)};
  for (const record::BatchRow& of : iteration.rows) {
    if (of.req == window.req) row.own = RowText(of);
  }
  return row;
}

}  // namespace

IterationRows IterationRowsOf(const Moment& moment) {
  const std::vector<Moment::Iteration> iterations = moment.Iterations();
  IterationRows out{.rows = {}, .all = iterations.size()};
  for (size_t i = 0; i < std::min(iterations.size(), kMostIterationRows); ++i)
    out.rows.push_back(RowOf(iterations[i], moment.window()));
  return out;
}

}  // namespace slowtoken::report
