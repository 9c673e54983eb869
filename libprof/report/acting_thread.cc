#include "report/acting_thread.h"

#include <absl/strings/str_cat.h>

#include "report/thread_label.h"
#include "report/units.h"

namespace slowtoken::report {

Json ActingThreadJson(const v1::Finding& finding) {
  if (finding.acting_thread() == 0) return Json();
  return {{"thread", finding.acting_thread()},         {"thread_role", TextOrNull(finding.acting_role())},
          {"ran_ns", finding.acting_ran_ns()},         {"waited_ns", finding.acting_waited_ns()},
          {"blocked_ns", finding.acting_blocked_ns()}, {"migrations", finding.acting_migrations()}};
}

std::string ActingThreadText(const v1::Finding& finding) {
  if (finding.acting_thread() == 0) return "";
  std::string text =
      absl::StrCat(ThreadText(finding.acting_thread(), finding.acting_role()), " meanwhile: on a CPU ",
                   Duration(finding.acting_ran_ns()), ", waiting for one ", Duration(finding.acting_waited_ns()),
                   ", blocked ", Duration(finding.acting_blocked_ns()));
  const uint64_t moves = finding.acting_migrations();
  if (moves != 0)
    absl::StrAppend(&text, ", moved to another CPU ", moves == 1 ? "once" : absl::StrCat(WithCommas(moves), " times"));
  return text;
}

}  // namespace slowtoken::report
