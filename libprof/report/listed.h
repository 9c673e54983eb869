// Items one after the other, as many as fit, and how many more there are. Pure.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace slowtoken::report {

inline constexpr size_t kAllColumns = std::numeric_limits<size_t>::max();

// "a, b and 3 more" within so many columns, where at all possible; the first item is always there.
std::string Listed(const std::vector<std::string>& items, size_t columns);

}  // namespace slowtoken::report
