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

std::string ActingThreadText(const v1::Finding& finding, const char* phase) {
  if (finding.acting_thread() == 0) return "";
  const uint64_t moves = finding.acting_migrations();
  return absl::StrCat("during ", phase, " ", ThreadText(finding.acting_thread(), finding.acting_role()),
                      " was on a CPU for ", Duration(finding.acting_ran_ns()), ", waited for one for up to ",
                      Duration(finding.acting_waited_ns()), moves == 0 ? " and was blocked for " : ", was blocked for ",
                      Duration(finding.acting_blocked_ns()), moves == 0 ? "" : " and moved to another CPU ",
                      moves == 0   ? ""
                      : moves == 1 ? "once"
                                   : absl::StrCat(WithCommas(moves), " times"));
}

}  // namespace slowtoken::report
