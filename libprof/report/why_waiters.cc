#include <absl/strings/str_cat.h>

#include <algorithm>

#include "report/table.h"
#include "report/units.h"
#include "report/why_command.h"
#include "report/why_sections.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;

constexpr size_t kMostWaiters = 8;

std::string Heading(size_t first_tokens, size_t stalls) {
  const std::string first = Counted(first_tokens, "slow first token"), gaps = Counted(stalls, "stall");
  const char* name = first_tokens + stalls == 1 ? " names it as its evidence" : " name it as their evidence";
  if (stalls == 0) return first + name;
  return first_tokens == 0 ? gaps + name : absl::StrCat(first, " and ", gaps, name);
}

}  // namespace

std::string WaitersText(const Waiters& waiters, const v1::Origin& origin, const Moment& moment,
                        const WhyOptions& options) {
  std::vector<Waiters::Waiter> all = waiters.FirstTokens();
  const std::vector<Waiters::Waiter> stalls = waiters.Stalls();
  const size_t first_tokens = all.size();
  all.insert(all.end(), stalls.begin(), stalls.end());
  if (all.empty()) return "";
  Table table({{"request", Align::kLeft}, {"token"}, {"at"}, {"took"}, {"by it"}, {"cause", Align::kLeft}});
  for (const Waiters::Waiter& waiter : all) {
    if (!options.all && table.size() == kMostWaiters) break;
    const uint64_t at = waiter.start - std::min<uint64_t>(waiter.start, origin.monotonic_ns());
    table.Add({moment.NameOf(waiter.req), absl::StrCat(waiter.n), Duration(at), Duration(waiter.took_ns),
               Duration(waiter.evidence_ns), record::kCauseNames[static_cast<size_t>(waiter.cause)]});
  }
  const size_t more = all.size() - table.size();
  return absl::StrCat("\nWho waited for it: ", Heading(first_tokens, stalls.size()), "\n", table.Text(),
                      more == 0 ? "" : absl::StrCat("  and ", more, " more", kShowAll, "\n"), "    ",
                      WhyCommandOf(options.command, all[0].req, moment.NameOf(all[0].req), all[0].n), "\n");
}

}  // namespace slowtoken::report
