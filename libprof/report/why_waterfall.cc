#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>

#include "report/table.h"
#include "report/units.h"
#include "report/why_sections.h"

namespace slowtoken::report {
namespace {

using Align = Table::Align;

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

std::string WaterfallText(const std::vector<PhaseStep>& steps, uint64_t whole, const Moment& moment, uint32_t n) {
  if (whole == 0) return "";
  const auto spent_in = [&](const PhaseStep& step) {
    const attribution::PhaseThread* spent = moment.SpentIn(n, step.index);
    return spent != nullptr && spent->states.known ? spent : nullptr;
  };
  if (std::none_of(steps.begin(), steps.end(), spent_in)) {
    Table table({{"phase", Align::kLeft}, {"time"}, {"", Align::kLeft}});
    for (const PhaseStep& step : steps)
      table.Add({step.phase, Duration(step.ns), WaterfallBar(step.start_ns, step.ns, whole)});
    return "\nWhere the time went\n" + table.Text();
  }
  Table table({{"phase", Align::kLeft},
               {"time"},
               {"", Align::kLeft},
               {"thread"},
               {"on CPU"},
               {"no CPU"},
               {"blocked"},
               {"moves"}});
  for (const PhaseStep& step : steps) {
    std::vector<std::string> row = {step.phase, Duration(step.ns), WaterfallBar(step.start_ns, step.ns, whole)};
    if (const attribution::PhaseThread* spent = spent_in(step); spent != nullptr) {
      row.insert(row.end(),
                 {absl::StrCat(static_cast<record::ThreadId>(spent->thread)), Duration(spent->ran_ns()),
                  Duration(spent->waited_ns()), Duration(spent->blocked_ns()), WithCommas(spent->states.migrations)});
    } else {
      row.resize(8);
    }
    table.Add(std::move(row));
  }
  return "\nWhere the time went, and what the thread did whose turn it was\n" + table.Text();
}

}  // namespace slowtoken::report
