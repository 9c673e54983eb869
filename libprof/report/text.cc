#include "report/text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>

#include "analysis/text_safety.h"
#include "report/ascii.h"
#include "report/collectives.h"
#include "report/imported.h"
#include "report/kept_detail.h"
#include "report/process_name.h"
#include "report/text_sections.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

constexpr std::string_view kBar = "█";
constexpr const char* kTiers[] = {"kernels and launches only", "iterations", "requests", "requests and batches"};
constexpr const char* kInferredTier = "kernels and launches only; iterations are INFERRED";

std::string Paint(const std::string& text, const char* code, const TextStyle& style) {
  return style.colour ? absl::StrCat("\x1b[", code, "m", text, "\x1b[0m") : text;
}

std::string HeadText(const v1::Report& report, const TextStyle& style) {
  std::string line = absl::StrCat("slowtoken report: ", ProcessNames(report));
  if (!report.origin().utc().empty()) absl::StrAppend(&line, ", from ", report.origin().utc().substr(0, 19), "Z");
  return Paint(line, "1", style) + "\n";
}

// Bars end where the line does.
std::string CutBars(const std::string& text, size_t columns) {
  std::string out;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (std::string line : lines) {
    while (line.ends_with(kBar) && analysis::Columns(line) > columns) line.resize(line.size() - kBar.size());
    absl::StrAppend(&out, line, "\n");
  }
  out.pop_back();
  return out;
}

std::string LabelsText(const v1::Conditions& conditions, const TextStyle& style) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : conditions.labels()) labels.push_back(absl::StrCat(key, "=", value));
  std::sort(labels.begin(), labels.end());
  return labels.empty() ? "" : "  " + Wrap("labels: " + absl::StrJoin(labels, ", "), 4, style);
}

std::string CoverageText(const v1::Report& report, const TextStyle& style) {
  const v1::Coverage& coverage = report.coverage();
  std::string out = "\nCoverage: " +
                    Paint(coverage.complete() ? "complete" : "INCOMPLETE", coverage.complete() ? "32" : "31;1", style);
  const bool inferred = coverage.tier() == 0 && report.iterations().has_inferred();
  absl::StrAppend(&out, ", tier ", coverage.tier(), " (",
                  inferred ? kInferredTier : kTiers[std::min(coverage.tier(), 3u)], ")\n");
  for (const std::string& note : coverage.notes()) absl::StrAppend(&out, "  ", Wrap(note, 4, style));
  for (const std::string& warning : coverage.warnings()) {
    absl::StrAppend(&out, "  ", Paint("!", "31;1", style), " ", Wrap(warning, 4, style));
  }
  absl::StrAppend(&out, "  kernels ", WithCommas(coverage.kernels()), " · launches ", WithCommas(coverage.launches()),
                  ", ", WithCommas(coverage.launches_matched()), " of them with GPU work");
  if (coverage.graph_launches() != 0)
    absl::StrAppend(&out, " · graph launches ", WithCommas(coverage.graph_launches()));
  absl::StrAppend(&out, "\n");
  if (coverage.has_seen()) {
    absl::StrAppend(&out, "  the detail is a sample, of ", WithCommas(coverage.seen().kernels()), " kernels and ",
                    WithCommas(coverage.seen().launches()),
                    " launches seen; requests, iterations and metrics rest on all\n");
  }
  if (LossesUnknown(coverage)) {
    absl::StrAppend(&out, "  what the recorder dropped is not known\n");
  } else if (coverage.dropped().empty()) {
    absl::StrAppend(&out, "  nothing was dropped\n");
  }
  if (!coverage.missing().empty())
    absl::StrAppend(&out, "  ", Wrap("not recorded: " + absl::StrJoin(coverage.missing(), ", "), 4, style));
  if (!coverage.next_tier().empty())
    absl::StrAppend(&out, "  ", Wrap("to see more: " + coverage.next_tier(), 4, style));
  return out + LabelsText(report.conditions(), style);
}

std::string ThroughputText(const v1::Report& report) {
  uint64_t requests = 0;
  std::vector<std::string> finish;
  for (const v1::NamedCount& reason : report.throughput().finish()) {
    requests += reason.count();
    if (reason.count() != 0) finish.push_back(absl::StrCat(WithCommas(reason.count()), " ", reason.name()));
  }
  if (requests == 0) return "";
  std::string out = absl::StrCat("\nRequests: ", WithCommas(requests), " (", absl::StrJoin(finish, ", "), ")");
  if (report.throughput().has_req_per_s()) {
    absl::StrAppend(&out, " · ", Rate(report.throughput().req_per_s()), " requests/s · ",
                    Rate(report.throughput().tok_per_s()), " tokens/s");
  }
  if (report.coverage().has_unattributed_share()) {
    absl::StrAppend(&out, " · unattributed ", Percent(report.coverage().unattributed_share()));
  }
  return out + "\n";
}

}  // namespace

std::string Wrap(const std::string& line, size_t indent, const TextStyle& style) {
  std::string out, rest = line;
  while (rest.size() + indent > style.columns) {
    const size_t space = rest.rfind(' ', style.columns - indent);
    if (space == std::string::npos || space == 0) break;
    absl::StrAppend(&out, rest.substr(0, space), "\n", std::string(indent, ' '));
    rest.erase(0, space + 1);
  }
  return out + rest + "\n";
}

std::string SpreadText(const v1::Distribution& d) {
  return absl::StrCat("mean ", Duration(d.mean_ns()), " · p50 ", Duration(d.p50_ns()), " · p90 ", Duration(d.p90_ns()),
                      " · p99 ", Duration(d.p99_ns()), " · max ", Duration(d.max_ns()));
}

namespace {

std::string AllText(const v1::Report& report, const Options& options, const TextStyle& style) {
  std::string out = HeadText(report, style) + TriggersText(report) + CoverageText(report, style);
  if (options.only) return out + OneRequestText(report);
  return absl::StrCat(out, InShortText(report, options, style), ThroughputText(report), TtftText(report),
                      ItlText(report), DefinitionText(report), SlowestText(report), SlowFirstText(report, style),
                      StallsText(report, style)) +
         absl::StrCat(
             IterationsText(report, options), LaunchText(report), DevicesText(report, style),
             GapFindingsText(report, style) + LaunchGapsText(report) + GraphsText(report) + CollectivesText(report),
             KernelsText(report), OwnCostText(report), ConditionsText(report, style));
}

}  // namespace

std::string WriteText(const v1::Report& report, const Options& options, const TextStyle& style) {
  const std::string text = CutBars(AllText(report, options, style), style.columns);
  return style.ascii ? ToAscii(text) : text;
}

}  // namespace slowtoken::report
