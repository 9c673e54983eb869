#include "report/collectives.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "analysis/text_safety.h"
#include "report/process_name.h"
#include "report/report_builder.h"
#include "report/text_sections.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

std::string WaitedText(const v1::Report& report) {
  uint64_t waited = 0, total = 0;
  for (const v1::Rank& rank : report.ranks()) {
    waited += rank.waited_ns();
    total += rank.total_ns();
  }
  return absl::StrCat(Percent(Share(waited, total)), " of the ranks' time in them was waiting for others (",
                      Duration(waited), " of ", Duration(total), ")");
}

std::string LateText(const v1::Report& report) {
  const auto late =
      std::max_element(report.ranks().begin(), report.ranks().end(),
                       [](const v1::Rank& a, const v1::Rank& b) { return a.kept_waiting_ns() < b.kept_waiting_ns(); });
  if (late->late() == 0) return "no rank came late";
  return absl::StrCat("late: ", RankName(*late, report), ", last to ", WithCommas(late->late()), " of its ",
                      WithCommas(late->collectives()), "; the others waited ", Duration(late->kept_waiting_ns()),
                      " for it in all");
}

}  // namespace

void FillCollectives(const analysis::Collectives& collectives, const std::vector<reader::ProcessInfo>& processes,
                     v1::Report& report) {
  if (collectives.ranks().size() < 2) return;
  v1::Collectives& out = *report.mutable_collectives();
  out.set_matched(collectives.matched());
  out.set_by_time(collectives.by_time());
  out.set_partial(collectives.partial());
  out.set_alone(collectives.alone());
  out.set_one_sided(collectives.one_sided());
  *out.mutable_wait() = ToDistribution(collectives.longest_wait());
  for (const auto& [id, rank] : collectives.ranks()) {
    v1::Rank& added = *report.add_ranks();
    if (id.first < processes.size()) {
      added.set_role(analysis::SafeText(processes[id.first].role, 64));
      added.set_pid(processes[id.first].pid);
    }
    added.set_device(id.second);
    added.set_collectives(rank.collectives);
    added.set_total_ns(rank.total_ns);
    added.set_late(rank.late);
    added.set_waited_ns(rank.waited_ns);
    added.set_kept_waiting_ns(rank.kept_waiting_ns);
  }
}

Json CollectivesJson(const v1::Report& report) {
  if (!report.has_collectives()) return Json();
  const v1::Collectives& all = report.collectives();
  return {{"matched", all.matched()}, {"by_time", all.by_time()},     {"partial", all.partial()},
          {"alone", all.alone()},     {"one_sided", all.one_sided()}, {"wait_ns", DistributionJson(all.wait())}};
}

Json RankJson(const v1::Rank& rank) {
  return {{"role", rank.role()},           {"pid", rank.pid()},
          {"device", rank.device()},       {"collectives", rank.collectives()},
          {"total_ns", rank.total_ns()},   {"late", rank.late()},
          {"waited_ns", rank.waited_ns()}, {"kept_waiting_ns", rank.kept_waiting_ns()}};
}

std::string RankName(const v1::Rank& rank, const v1::Report& report) {
  const std::string process = ProcessName(rank.role(), rank.pid());
  const auto of_process = std::count_if(report.ranks().begin(), report.ranks().end(), [&](const v1::Rank& other) {
    return other.role() == rank.role() && other.pid() == rank.pid();
  });
  return of_process > 1 ? absl::StrCat(process, " GPU ", rank.device()) : process;
}

std::vector<std::string> CollectivesSentences(const v1::Report& report) {
  std::vector<std::string> said;
  if (!report.has_collectives()) return said;
  const v1::Collectives& all = report.collectives();
  if (all.matched() != 0) said = {WaitedText(report), LateText(report)};
  if (all.partial() != 0)
    said.push_back(absl::StrCat(WithCommas(all.partial()), " have more ranks than these: one of those may be later"));
  if (all.alone() != 0)
    said.push_back(
        absl::StrCat(WithCommas(all.alone()), " were seen on one rank alone (other hosts' clocks are not known here)"));
  return said;
}

std::string CollectivesText(const v1::Report& report) {
  if (!report.has_collectives()) return "";
  const v1::Collectives& all = report.collectives();
  std::string out = absl::StrCat("\nCollectives: ", WithCommas(all.matched()), ", each seen on two or more of ",
                                 WithCommas(static_cast<uint64_t>(report.ranks_size())), " ranks\n");
  if (all.matched() != 0) absl::StrAppend(&out, "  longest wait in each: ", SpreadText(all.wait()), "\n");
  for (const std::string& sentence : CollectivesSentences(report)) absl::StrAppend(&out, "  ", sentence, "\n");
  return out;
}

}  // namespace slowtoken::report
