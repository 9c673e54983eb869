// What `overhead` found out, and how it is shown: as a table and as JSON. Plain data; pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/paired_change.h"

namespace slowtoken::cli {

enum class FigureUnit { kSeconds, kBytes, kPlain };

// Whether the figure got worse by more than its limit, as far as the interval tells.
enum class LimitVerdict { kHolds, kExceeded, kOpen };

struct FigureChange {
  std::string name;
  FigureUnit unit = FigureUnit::kPlain;
  bool higher_is_better = false;
  std::vector<analysis::MeasuredPair> pairs;  // before: without slowtoken, after: with it
  analysis::PairedChange change;
  std::optional<double> limit;  // the relative worsening that is allowed

  // nullopt without a limit, or where no ratio can be told.
  std::optional<LimitVerdict> Verdict() const;
};

struct OverheadResult {
  size_t pairs = 0;
  uint64_t seed = 0;
  std::string order;  // of the runs: '-' without, '+' with slowtoken
  std::string mode;
  std::vector<FigureChange> figures;

  bool Exceeded() const;
};

std::string OverheadText(const OverheadResult& result);
std::string OverheadJson(const OverheadResult& result);

}  // namespace slowtoken::cli
