#include "report/iteration_rows.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "report/listed.h"

namespace slowtoken::report {
namespace {

std::string RowText(const record::BatchRow& row) {
  return absl::StrCat(std::string(1, record::kRowKindLetters[static_cast<size_t>(row.kind)]), row.n_tok);
}

std::string With(const Moment::Iteration& iteration, const Moment& moment, size_t columns) {
  // Prompts first: they are what others wait for.
  std::vector<record::BatchRow> rows(iteration.rows.begin(), iteration.rows.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const record::BatchRow& a, const record::BatchRow& b) { return a.n_tok > b.n_tok; });
  std::vector<std::string> others;
  for (const record::BatchRow& row : rows) {
    if (row.req != moment.window().req) others.push_back(absl::StrCat(moment.ShortNameOf(row.req), " ", RowText(row)));
  }
  return Listed(others, columns);
}

IterationRow RowOf(const Moment::Iteration& iteration, const Moment& moment, size_t columns) {
  const Moment::Window& window = moment.window();
  const record::IterationSummary& s = iteration.summary;
  IterationRow row{.iter = s.key.iter,
                   .at_ns = static_cast<int64_t>(s.start - window.start),
                   .length_ns = s.end - std::min(s.start, s.end),
                   .gpu_ns = s.gpu_busy_ns,
                   .kind = s.dummy   ? "dummy"
                           : s.graph ? "graph"
                                     : "eager",
                   .own = iteration.own ? "" : "not in it",
                   .with = With(iteration, moment, columns)};
  for (const record::BatchRow& of : iteration.rows) {
    if (of.req == window.req) row.own = RowText(of);
  }
  return row;
}

}  // namespace

IterationRows IterationRowsOf(const Moment& moment, size_t most, size_t columns) {
  const std::vector<Moment::Iteration> iterations = moment.Iterations();
  IterationRows out{.rows = {}, .all = iterations.size()};
  for (size_t i = 0; i < std::min(iterations.size(), most); ++i)
    out.rows.push_back(RowOf(iterations[i], moment, columns));
  return out;
}

}  // namespace slowtoken::report
