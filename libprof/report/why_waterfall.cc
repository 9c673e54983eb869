#include <algorithm>
#include <cmath>

#include "report/table.h"
#include "report/units.h"
#include "report/why_sections.h"

namespace slowtoken::report {
namespace {

constexpr int kWaterfallColumns = 40;

std::string WaterfallBar(uint64_t before, uint64_t ns, uint64_t whole) {
  const auto column = [&](uint64_t at) {
    return static_cast<int>(std::lround(static_cast<double>(at) / static_cast<double>(whole) * kWaterfallColumns));
  };
  const int from = std::min(column(before), kWaterfallColumns - 1), to = std::max(column(before + ns), from + 1);
  std::string bar(static_cast<size_t>(from), ' ');
  for (int i = from; i < to; ++i) bar += "█";
  return bar;
}

}  // namespace

std::string WaterfallText(const std::vector<PhaseStep>& steps, uint64_t whole) {
  if (whole == 0) return "";
  Table table({{"phase", Table::Align::kLeft}, {"time"}, {"", Table::Align::kLeft}});
  for (const PhaseStep& step : steps)
    table.Add({step.phase, Duration(step.ns), WaterfallBar(step.start_ns, step.ns, whole)});
  return "\nWhere the time went\n" + table.Text();
}

}  // namespace slowtoken::report
