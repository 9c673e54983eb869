// What changed between two runs, as text for people and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis/run_comparison.h"

namespace slowtoken::report {

// Conditions that differ first, then what was served, then the figures with their intervals, causes, kernels, and the
// verdict.
std::string DiffText(const analysis::RunSample& a, const analysis::RunSample& b,
                     const std::vector<analysis::FigureChange>& figures);
std::string DiffJson(const analysis::RunSample& a, const analysis::RunSample& b,
                     const std::vector<analysis::FigureChange>& figures);

}  // namespace slowtoken::report
