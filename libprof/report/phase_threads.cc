#include "report/phase_threads.h"

#include <absl/strings/str_format.h>

#include <algorithm>

#include "report/table.h"
#include "report/units.h"

namespace slowtoken::report {

void FillPhaseThreads(const analysis::PhaseThreadSums& sums, size_t phases, PhaseThreadsList& out) {
  for (size_t phase = 0; phase < phases; ++phase) {
    const analysis::PhaseThreadSums::Sum& sum = sums.Of(phase);
    if (sum.count + sum.unknown == 0) continue;
    v1::PhaseThreads& told = *out.Add();
    told.set_phase(static_cast<uint32_t>(phase));
    told.set_count(sum.count);
    told.set_unknown(sum.unknown);
    told.set_ran_ns(sum.ran_ns);
    told.set_waited_ns(sum.waited_ns);
    told.set_blocked_ns(sum.blocked_ns);
    told.set_migrations(sum.migrations);
  }
}

Json PhaseThreadsJson(const PhaseThreadsList& threads, std::span<const char* const> names) {
  Json out = Json::object();
  for (const v1::PhaseThreads& one : threads) {
    out[names[one.phase() % names.size()]] = {{"count", one.count()},           {"unknown", one.unknown()},
                                              {"ran_ns", one.ran_ns()},         {"waited_ns", one.waited_ns()},
                                              {"blocked_ns", one.blocked_ns()}, {"migrations", one.migrations()}};
  }
  return out;
}

std::string PhaseThreadsText(const PhaseThreadsList& threads, std::span<const char* const> names,
                             std::span<const size_t> time_order) {
  Table table(
      {{"CPU phase", Table::Align::kLeft}, {"times"}, {"mean"}, {"thread on CPU"}, {"no CPU"}, {"blocked"}, {"moves"}});
  for (const size_t phase : time_order) {
    const auto one = std::find_if(threads.begin(), threads.end(),
                                  [&](const auto& threads_of) { return threads_of.phase() == phase; });
    if (one == threads.end() || one->count() == 0) continue;
    const uint64_t count = one->count();
    table.Add({names[phase], WithCommas(count),
               Duration((one->ran_ns() + one->waited_ns() + one->blocked_ns()) / count),
               Duration(one->ran_ns() / count), Duration(one->waited_ns() / count), Duration(one->blocked_ns() / count),
               absl::StrFormat("%.3f", static_cast<double>(one->migrations()) / static_cast<double>(count))});
  }
  return table.empty() ? "" : "\n" + table.Text();
}

}  // namespace slowtoken::report
