// The section "Recorded under" of the text report.
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

#include "report/text_sections.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

struct Group {
  const char* title;
  std::vector<std::string> prefixes;  // of the conditions' names, in the order in which they are written
};

const Group kGroups[] = {{"imported from", {"source."}},
                         {"driver", {"driver.", "gpu.", "nvml."}},
                         {"engine", {"package.", "python."}},
                         {"libraries", {"library."}},
                         {"host", {"host."}},
                         {"limits", {"container.", "cgroup."}},
                         {"slowtoken", {"slowtoken."}}};

std::string ValueText(const v1::Fact& fact) {
  std::vector<std::string> values(fact.values().begin(), fact.values().end());
  uint64_t bytes = 0;
  if (absl::EndsWith(fact.name(), "_bytes")) {
    for (std::string& value : values) value = absl::SimpleAtoi(value, &bytes) ? Bytes(bytes) : value;
  }
  return absl::StrJoin(values, " or ");  // processes differ
}

// "memory_bytes" -> "memory": the unit is in the value.
std::string Label(std::string name) {
  for (const char* unit : {"_bytes"}) {
    if (absl::EndsWith(name, unit)) name.resize(name.size() - std::string_view(unit).size());
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string GroupText(const v1::Conditions& conditions, const Group& group) {
  std::vector<std::string> facts;
  for (const std::string& prefix : group.prefixes) {
    for (const v1::Fact& fact : conditions.facts()) {
      if (!absl::StartsWith(fact.name(), prefix)) continue;
      facts.push_back(absl::StrCat(Label(fact.name().substr(prefix.size())), " ", ValueText(fact)));
    }
  }
  return absl::StrJoin(facts, " · ");
}

}  // namespace

std::string ConditionsText(const v1::Report& report, const TextStyle& style) {
  std::string out;
  for (const Group& group : kGroups) {
    const std::string facts = GroupText(report.conditions(), group);
    if (!facts.empty()) absl::StrAppend(&out, "  ", Wrap(absl::StrCat(group.title, ": ", facts), 4, style));
  }
  return out.empty() ? "" : "\nRecorded under\n" + out;
}

}  // namespace slowtoken::report
