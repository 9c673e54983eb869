// The name of a range for people: "iter.forward", "my range". Pure.
#pragma once

#include <string>

#include "analysis/host_ranges.h"
#include "record/dictionary.h"

namespace slowtoken::analysis {

// Safe, and cut where it is long.
std::string RangeText(RangeName range, const record::Dictionary& dictionary);

}  // namespace slowtoken::analysis
