#include "report/phase_threads.h"

#include <absl/strings/str_format.h>

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

Table PhaseThreadsTable() {
  return Table(
      {{"CPU phase", Table::Align::kLeft}, {"times"}, {"mean"}, {"thread on CPU"}, {"no CPU"}, {"blocked"}, {"moves"}});
}

void AddPhaseThreads(const v1::PhaseThreads& threads, const char* name, Table& table) {
  const uint64_t count = threads.count();
  table.Add({name, WithCommas(count), Duration((threads.ran_ns() + threads.waited_ns() + threads.blocked_ns()) / count),
             Duration(threads.ran_ns() / count), Duration(threads.waited_ns() / count),
             Duration(threads.blocked_ns() / count),
             absl::StrFormat("%.3f", static_cast<double>(threads.migrations()) / static_cast<double>(count))});
}

}  // namespace slowtoken::report
