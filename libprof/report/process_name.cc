#include "report/process_name.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <vector>

#include "analysis/text_safety.h"

namespace slowtoken::report {

std::string ProcessName(std::string_view role, uint64_t pid) {
  std::string name = role.empty() ? "process" : analysis::SafeText(role, 64);
  if (pid != 0) absl::StrAppend(&name, " ", pid);
  return name;
}

std::string ProcessNames(const v1::Report& report) {
  std::vector<std::string> names;
  for (const v1::Process& process : report.coverage().processes())
    names.push_back(process.role().empty() ? process.path() : ProcessName(process.role(), process.pid()));
  if (names.size() > 4) {
    names.resize(3);
    names.push_back(absl::StrCat("and ", report.coverage().processes_size() - 3, " more"));
  }
  return names.empty() ? "no processes" : absl::StrJoin(names, ", ");
}

}  // namespace slowtoken::report
