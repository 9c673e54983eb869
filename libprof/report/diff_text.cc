#include "report/diff_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/kernel_names.h"
#include "report/json_parts.h"
#include "report/table.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using analysis::FigureChange;
using analysis::FigureGroup;
using analysis::RunSample;
using Align = Table::Align;

constexpr size_t kMostKernelChanges = 10;
constexpr double kLeastKernelShare = 0.01;

std::string Signed(double ns) {
  return absl::StrCat(ns < 0 ? "-" : "+", Duration(static_cast<uint64_t>(std::llround(std::abs(ns)))));
}

std::string Value(const FigureChange& figure, double value) {
  if (figure.unit == analysis::FigureUnit::kNs)
    return Duration(static_cast<uint64_t>(std::llround(std::max(value, 0.0))));
  return figure.unit == analysis::FigureUnit::kShare ? Percent(value) : absl::StrFormat("%.4g", value);
}

std::string Change(const FigureChange& figure, double difference) {
  // A change of a share in points: in percent of the share it would read like another share.
  if (figure.unit == analysis::FigureUnit::kShare) return absl::StrFormat("%+.1f points", 100 * difference);
  if (figure.a > 0) return absl::StrFormat("%+.1f %%", 100 * difference / figure.a);
  return figure.unit == analysis::FigureUnit::kNs ? Signed(difference) : absl::StrFormat("%+.4g", difference);
}

std::string Verdict(const FigureChange& figure) {
  if (!figure.changed) return "";
  if (figure.better == analysis::Better::kNeither) return "changed";
  return figure.worse() ? "worse" : "better";
}

std::string ConditionsText(const RunSample& a, const RunSample& b) {
  std::set<std::string> names;
  for (const RunSample* run : {&a, &b}) {
    for (const auto& [name, value] : run->conditions) names.insert(name);
  }
  const auto of = [](const RunSample& run, const std::string& name) {
    const auto found = run.conditions.find(name);
    return found == run.conditions.end() || found->second.empty() ? std::string("(not told)") : found->second;
  };
  const bool same_keys = !a.pseudonym_keys.empty() && a.pseudonym_keys == b.pseudonym_keys;
  const auto comparable = [&](const std::string& name) {
    return same_keys || (!a.pseudonyms.contains(name) && !b.pseudonyms.contains(name));
  };
  Table table({{"condition", Align::kLeft}, {"A", Align::kLeft, 40}, {"B", Align::kLeft, 40}});
  std::vector<std::string> apart;
  for (const std::string& name : names) {
    if (!comparable(name)) {
      apart.push_back(name);
    } else if (of(a, name) != of(b, name)) {
      table.Add({name, of(a, name), of(b, name)});
    }
  }
  const std::string not_compared =
      apart.empty() ? ""
                    : absl::StrCat("  cannot be compared: ", absl::StrJoin(apart, ", "),
                                   " (pseudonyms by different keys; runs with the same SLOWTOKEN_KEY can)\n");
  if (names.empty()) return "";
  if (table.empty()) return absl::StrCat("\nConditions: none that were recorded differ\n", not_compared);
  return absl::StrCat("\nConditions that differ\n", table.Text(), not_compared);
}

std::string ServedText(const RunSample& a, const RunSample& b) {
  Table table({{"", Align::kLeft}, {"A"}, {"B"}});
  const auto tokens = [](const RunSample& run) {
    double sum = 0;
    for (const analysis::RequestSample& request : run.requests) sum += request.tokens;
    return sum;
  };
  const auto rate = [](double count, double seconds) { return seconds > 0 ? Rate(count / seconds) : std::string("?"); };
  table.Add({"requests", WithCommas(a.requests.size()), WithCommas(b.requests.size())});
  table.Add({"requests/s", rate(static_cast<double>(a.requests.size()), a.seconds),
             rate(static_cast<double>(b.requests.size()), b.seconds)});
  table.Add({"tokens/s", rate(tokens(a), a.seconds), rate(tokens(b), b.seconds)});
  std::set<std::string> names;
  for (const RunSample* run : {&a, &b}) {
    for (const auto& [name, count] : run->finishes) names.insert(name);
  }
  const auto share = [](const RunSample& run, const std::string& name) {
    const auto found = run.finishes.find(name);
    return found == run.finishes.end() ? std::string("0")
                                       : Percent(found->second / static_cast<double>(run.requests.size()));
  };
  for (const std::string& name : names) table.Add({"ended: " + name, share(a, name), share(b, name)});
  return "\nWhat was served\n" + table.Text();
}

const char* GroupText(FigureGroup group) {
  switch (group) {
    case FigureGroup::kOutcome:
      return "outcome";
    case FigureGroup::kTtft:
    case FigureGroup::kItl:
      return "";
    case FigureGroup::kTtftPhase:
      return "TTFT: ";
    case FigureGroup::kItlPhase:
      return "ITL: ";
  }
  return "";
}

std::string NameOf(const FigureChange& figure) {
  return figure.group == FigureGroup::kOutcome ? figure.name : absl::StrCat(GroupText(figure.group), figure.name);
}

std::string FiguresText(const std::vector<FigureChange>& figures) {
  Table table({{"", Align::kLeft}, {"A"}, {"B"}, {"change"}, {"95 % interval"}, {"", Align::kLeft}});
  for (const FigureChange& figure : figures) {
    table.Add({NameOf(figure), Value(figure, figure.a), Value(figure, figure.b), Change(figure, figure.difference),
               absl::StrCat(Change(figure, figure.low), " … ", Change(figure, figure.high)), Verdict(figure)});
  }
  return table.empty() ? ""
                       : "\nFigures (mean of each phase; TTFT adjusted for the length of prompts)\n" + table.Text();
}

std::string CausesText(const char* what, const std::map<std::string, double>& a,
                       const std::map<std::string, double>& b) {
  std::set<std::string> names;
  for (const auto* causes : {&a, &b}) {
    for (const auto& [name, count] : *causes) names.insert(name);
  }
  Table table({{"cause", Align::kLeft}, {"A"}, {"B"}});
  const auto count = [](const std::map<std::string, double>& causes, const std::string& name) {
    const auto found = causes.find(name);
    return WithCommas(found == causes.end() ? 0 : static_cast<uint64_t>(found->second));
  };
  for (const std::string& name : names) table.Add({name, count(a, name), count(b, name)});
  return table.empty() ? "" : absl::StrCat("\n", what, " by cause\n", table.Text());
}

std::string JudgedText(const RunSample& a, const RunSample& b) {
  const bool any =
      !a.stall_causes.empty() || !b.stall_causes.empty() || !a.slow_causes.empty() || !b.slow_causes.empty();
  // One of them may be a client's log, in which nothing is judged.
  return any ? absl::StrCat("  judged by ", a.judged_by.empty() ? b.judged_by : a.judged_by, "\n") : "";
}

struct KernelChange {
  std::string name;
  double a_ns = 0, b_ns = 0;  // mean of one
  double weight = 0;          // share of GPU time in the run where it is larger
};

std::vector<KernelChange> KernelChanges(const RunSample& a, const RunSample& b) {
  const auto total = [](const RunSample& run) {
    double sum = 0;
    for (const auto& [name, kernel] : run.kernels) sum += kernel.total_ns;
    return std::max(sum, 1.0);
  };
  std::set<std::string> names;
  for (const RunSample* run : {&a, &b}) {
    for (const auto& [name, kernel] : run->kernels) names.insert(name);
  }
  std::vector<KernelChange> changes;
  for (const std::string& name : names) {
    const auto of = [&](const RunSample& run) {
      const auto found = run.kernels.find(name);
      return found == run.kernels.end() ? analysis::KernelSample{} : found->second;
    };
    const analysis::KernelSample in_a = of(a), in_b = of(b);
    KernelChange change{.name = name};
    if (in_a.count > 0) change.a_ns = in_a.total_ns / in_a.count;
    if (in_b.count > 0) change.b_ns = in_b.total_ns / in_b.count;
    change.weight = std::max(in_a.total_ns / total(a), in_b.total_ns / total(b));
    const bool moved = change.a_ns == 0 || change.b_ns == 0 || std::abs(change.b_ns / change.a_ns - 1) > 0.02;
    if (moved && change.weight >= kLeastKernelShare) changes.push_back(change);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const KernelChange& x, const KernelChange& y) { return x.weight > y.weight; });
  return changes;
}

std::string KernelsText(const RunSample& a, const RunSample& b) {
  Table table({{"mean in A"}, {"mean in B"}, {"", Align::kLeft}, {"kernel", Align::kLeft, 56}});
  for (const KernelChange& change : KernelChanges(a, b)) {
    if (table.size() == kMostKernelChanges) break;
    const auto mean = [](double ns) { return ns == 0 ? std::string("-") : Duration(static_cast<uint64_t>(ns)); };
    const std::string what = change.a_ns == 0   ? "appeared"
                             : change.b_ns == 0 ? "vanished"
                                                : absl::StrFormat("%+.1f %%", 100 * (change.b_ns / change.a_ns - 1));
    table.Add({mean(change.a_ns), mean(change.b_ns), what, analysis::ShortName(change.name)});
  }
  return table.empty()
             ? ""
             : "\nKernels with 1 % of the GPU time and more that are other ones, or 2 % apart\n" + table.Text();
}

std::string ChiefText(const std::vector<FigureChange>& figures, FigureGroup group, const char* what) {
  const FigureChange* chief = analysis::ChiefPhase(figures, group);
  if (chief == nullptr) return "";
  return absl::StrCat("  ", what, ": mostly ", chief->name, ", ", Signed(chief->difference), "\n");
}

std::string VerdictText(const std::vector<FigureChange>& figures) {
  if (figures.empty()) return "\nToo few requests to compare\n";
  const auto worse = std::count_if(figures.begin(), figures.end(), [](const FigureChange& f) { return f.worse(); });
  const auto changed = std::count_if(figures.begin(), figures.end(), [](const FigureChange& f) { return f.changed; });
  if (changed == 0) {
    const auto without_zero =
        std::count_if(figures.begin(), figures.end(), [](const FigureChange& f) { return f.low > 0 || f.high < 0; });
    if (without_zero == 0) return "\nNo evidence of a change\n";
    return absl::StrCat("\nNo evidence of a change: of ", figures.size(), " intervals ", without_zero,
                        " without 0, which chance explains where so many are looked at (Holm)\n");
  }
  return absl::StrCat("\n", changed, " of ", figures.size(), " figures changed, ", worse, " of them for the worse\n",
                      ChiefText(figures, FigureGroup::kTtftPhase, "TTFT"),
                      ChiefText(figures, FigureGroup::kItlPhase, "gaps"));
}

Json FigureJson(const FigureChange& f) {
  static constexpr const char* kGroups[] = {"outcome", "ttft", "ttft_phase", "itl", "itl_phase"};
  return {{"name", f.name},
          {"group", kGroups[static_cast<size_t>(f.group)]},
          {"unit", f.unit == analysis::FigureUnit::kNs ? "ns" : "1"},
          {"a", f.a},
          {"b", f.b},
          {"difference", f.difference},
          {"low", f.low},
          {"high", f.high},
          {"p", f.p},
          {"corrected_p", f.corrected_p},
          {"changed", f.changed},
          {"worse", f.worse()}};
}

Json RunJson(const RunSample& run) {
  return {{"name", run.name},           {"requests", run.requests.size()},  {"seconds", run.seconds},
          {"finish", run.finishes},     {"stall_causes", run.stall_causes}, {"slow_causes", run.slow_causes},
          {"judged_by", run.judged_by}, {"conditions", run.conditions}};
}

}  // namespace

std::string DiffText(const RunSample& a, const RunSample& b, const std::vector<FigureChange>& figures) {
  return absl::StrCat("slowtoken diff: A ", a.name, ", B ", b.name, "\n", ConditionsText(a, b), ServedText(a, b),
                      FiguresText(figures), CausesText("Stalls", a.stall_causes, b.stall_causes),
                      CausesText("Slow first tokens", a.slow_causes, b.slow_causes), JudgedText(a, b),
                      KernelsText(a, b), VerdictText(figures));
}

std::string DiffJson(const RunSample& a, const RunSample& b, const std::vector<FigureChange>& figures) {
  Json out = {{"schema", "slowtoken.diff.v1"}, {"a", RunJson(a)}, {"b", RunJson(b)}, {"figures", Json::array()}};
  for (const FigureChange& figure : figures) out["figures"].push_back(FigureJson(figure));
  out["kernels"] = Json::array();
  for (const KernelChange& change : KernelChanges(a, b))
    out["kernels"].push_back({{"name", change.name}, {"a_ns", change.a_ns}, {"b_ns", change.b_ns}});
  return Dump(out) + "\n";
}

}  // namespace slowtoken::report
