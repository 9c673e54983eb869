#include "overhead_result.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/text_safety.h"
#include "report/table.h"
#include "report/units.h"

namespace slowtoken::cli {
namespace {

using analysis::Interval;
using report::Table;

std::string Value(FigureUnit unit, double value) {
  if (unit == FigureUnit::kSeconds) return report::Duration(static_cast<uint64_t>(std::max(0.0, value) * 1e9));
  if (unit == FigureUnit::kBytes) return report::Bytes(static_cast<uint64_t>(std::max(0.0, value)));
  return absl::StrFormat("%.4g", value);
}

std::string SignedPercent(double share) { return absl::StrFormat("%+.2f %%", share * 100); }

std::string LimitText(const FigureChange& figure) {
  if (!figure.limit) return "";
  const auto verdict = figure.Verdict();
  const char* word = !verdict                              ? "cannot be told"
                     : *verdict == LimitVerdict::kHolds    ? "holds"
                     : *verdict == LimitVerdict::kExceeded ? "EXCEEDED"
                                                           : "open: more runs would tell";
  return absl::StrFormat("%g %%: %s", *figure.limit * 100, word);
}

const char* VerdictName(LimitVerdict verdict) {
  return verdict == LimitVerdict::kHolds ? "holds" : verdict == LimitVerdict::kExceeded ? "exceeded" : "open";
}

nlohmann::json Json(const Interval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

nlohmann::json Json(const FigureChange& figure) {
  static constexpr const char* kUnits[] = {"s", "bytes", ""};
  const auto relative = figure.change.relative;
  nlohmann::json json = {{"name", figure.name},
                         {"unit", kUnits[static_cast<size_t>(figure.unit)]},
                         {"higher_is_better", figure.higher_is_better},
                         {"without", figure.change.before},
                         {"with", figure.change.after},
                         {"difference", Json(figure.change.difference)},
                         {"change", relative ? Json(*relative) : nlohmann::json()},
                         {"limit", figure.limit ? nlohmann::json(*figure.limit) : nlohmann::json()},
                         {"verdict", nullptr},
                         {"runs", nlohmann::json::array()}};
  if (const auto verdict = figure.Verdict()) json["verdict"] = VerdictName(*verdict);
  for (const analysis::MeasuredPair& pair : figure.pairs) {
    json["runs"].push_back({{"without", pair.before}, {"with", pair.after}});
  }
  return json;
}

}  // namespace

std::optional<LimitVerdict> FigureChange::Verdict() const {
  if (!limit || !change.relative) return std::nullopt;
  const double low = higher_is_better ? -change.relative->high : change.relative->low;
  const double high = higher_is_better ? -change.relative->low : change.relative->high;
  return high < *limit ? LimitVerdict::kHolds : low > *limit ? LimitVerdict::kExceeded : LimitVerdict::kOpen;
}

bool OverheadResult::Exceeded() const {
  return std::any_of(figures.begin(), figures.end(),
                     [](const FigureChange& figure) { return figure.Verdict() == LimitVerdict::kExceeded; });
}

std::string OverheadText(const OverheadResult& result) {
  Table table({{"figure", Table::Align::kLeft, 40},
               {"without"},
               {"with"},
               {"change"},
               {"95 % interval"},
               {"limit", Table::Align::kLeft}});
  for (const FigureChange& figure : result.figures) {
    const auto relative = figure.change.relative;
    const Interval& shown = relative ? *relative : figure.change.difference;
    const auto text = [&](double v) { return relative ? SignedPercent(v) : absl::StrFormat("%+.4g", v); };
    table.Add({analysis::SafeText(figure.name, 80), Value(figure.unit, figure.change.before),
               Value(figure.unit, figure.change.after), text(shown.mean),
               absl::StrCat(text(shown.low), " to ", text(shown.high)), LimitText(figure)});
  }
  return absl::StrCat("What slowtoken costs (mode ", result.mode, "): ", result.pairs,
                      " pairs of runs without (-) and with it (+), in this order: ", result.order, "\n\n", table.Text(),
                      "\nValues and changes are means over the pairs; intervals are Student's t over the pairs' log ",
                      "ratios (docs/METRICS.md).\n");
}

std::string OverheadJson(const OverheadResult& result) {
  nlohmann::json json = {{"schema", "slowtoken.overhead.v1"},
                         {"pairs", result.pairs},
                         {"seed", result.seed},
                         {"order", result.order},
                         {"mode", result.mode},
                         {"confidence", 0.95},
                         {"method", "Student's t over the log ratios of pairs, ABBA or BAAB at random"},
                         {"figures", nlohmann::json::array()}};
  for (const FigureChange& figure : result.figures) json["figures"].push_back(Json(figure));
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace slowtoken::cli
