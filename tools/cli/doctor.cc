// slowtoken doctor: what works here, and what to do about the rest.
#include <absl/strings/str_format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analysis/text_safety.h"
#include "finding.h"
#include "output_style.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kDoctorVerb = {"doctor",
                              "Says what works on this machine, and what to do about the rest. Changes nothing. Exit "
                              "code 1 if there is a problem.",
                              Doctor};
constexpr const char* kDoctorExamples =
    "  slowtoken doctor\n  slowtoken doctor --json\n  slowtoken doctor --pid 4711\n";

const char* StateText(Finding::State state) {
  switch (state) {
    case Finding::State::kOk:
      return "ok";
    case Finding::State::kWarning:
      return "warning";
    case Finding::State::kProblem:
      return "problem";
  }
  return "";
}

std::vector<Finding> Examine() {
  std::vector<Finding> findings = {CheckLibrary(), CheckDriver(), CheckCupti(), CheckNvml()};
  for (Finding& door : CheckDoors()) findings.push_back(std::move(door));
  for (Finding finding : {CheckRules(), CheckPerfEvents(), CheckClock(), CheckOutput(), CheckOldRuns()})
    findings.push_back(std::move(finding));
  return findings;
}

void PrintText(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    std::cout << absl::StrFormat("%-8s %-22s %s", StateText(finding.state), finding.what,
                                 analysis::SafeText(finding.text, 512));
    if (!finding.advice.empty()) std::cout << Shown(" → ") << finding.advice;
    std::cout << "\n";
  }
}

void PrintJson(const std::vector<Finding>& findings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    all.push_back({{"what", finding.what},
                   {"state", StateText(finding.state)},
                   {"text", analysis::SafeText(finding.text)},
                   {"advice", finding.advice}});
  }
  const nlohmann::ordered_json out = {{"schema", "slowtoken.doctor.v1"}, {"findings", all}};
  std::cout << out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

}  // namespace

int Doctor(const Arguments& arguments) {
  bool as_json = false;
  VerbApp app(kDoctorVerb, kDoctorExamples);
  int pid = 0;
  app.add_flag("--json", as_json, "for programs");
  app.add_option("--pid", pid, "look into this process instead: what is mapped there, and who holds which slot")
      ->check(CLI::PositiveNumber);
  if (auto code = app.Parse(arguments)) return *code;
  absl::StatusOr<std::vector<Finding>> looked = pid != 0 ? CheckProcess(pid) : Examine();
  if (!looked.ok()) return Fail(kDoctorVerb.name, looked.status(), kUnreadable);
  const std::vector<Finding>& findings = *looked;
  as_json ? PrintJson(findings) : PrintText(findings);
  const bool problem = std::any_of(findings.begin(), findings.end(),
                                   [](const Finding& finding) { return finding.state == Finding::State::kProblem; });
  return problem ? kNo : kDone;
}

}  // namespace slowtoken::cli
